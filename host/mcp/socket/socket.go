// Package socket joins the programs that agents start as MCP servers to the host: a private Unix socket, and the bridge from it to
// the stdin and stdout of such a program.
//
// The host calls [Listen] once; a [Listener] has one goroutine, and one more for each connection, which end with Close. The
// subcommand `nvim-acp mcp` calls [Bridge].
package socket

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// The variables by which a bridge finds its session.
const (
	PathVar  = "NVIM_ACP_MCP_SOCKET"
	TokenVar = "NVIM_ACP_MCP_TOKEN"
)

const (
	greeting   = "nvim-acp-mcp 1 "
	welcome    = "welcome"
	maxLine    = 256             // bytes of the first line of either side
	maxWait    = 5 * time.Second // for it
	maxWaiting = 32              // connections that have not said theirs; another one ends the oldest
	prefix     = "nvim-acp-mcp-"
	sweepAfter = 5 * time.Second // not while an agent starts: the folder may have thousands of files
)

// Listener accepts connections of this user's programs that know a token. It is safe for concurrent use.
type Listener struct {
	dir     string
	net     net.Listener
	serve   func(session string, conn io.ReadWriteCloser)
	refused func(why string)
	user    int // whose programs may connect
	sweeper *time.Timer

	mu     sync.Mutex // guards all below
	tokens map[[sha256.Size]byte]owner
	conns  map[net.Conn]owner // the zero value as long as it is not known
	silent []net.Conn         // those that have not said their first line, from old to new
	closed bool
}

// owner is whose a token is, and the connections that it opens.
type owner struct {
	session string
	agent   any // is compared, and nothing else
}

// is reports whether an owner is an agent in a session; with nil, whichever in that session.
func (o owner) is(session string, agent any) bool {
	return o.session == session && (agent == nil || o.agent == agent)
}

// Listen listens on a socket that only this user can reach. For each connection with a token it calls serve, in a goroutine of
// its own, which closes conn when it is done; conn ends with its session. It calls refused with the reason for each other.
func Listen(serve func(session string, conn io.ReadWriteCloser), refused func(why string)) (*Listener, error) {
	return listenFor(os.Getuid(), serve, refused)
}

// listenFor is Listen for a user.
func listenFor(user int, serve func(string, io.ReadWriteCloser), refused func(string)) (*Listener, error) {
	root := private.Root()
	dir, err := os.MkdirTemp(root, prefix) // for this user only
	if err != nil {
		return nil, err
	}

	l, err := private.Listen(dir, "s")
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}

	s := &Listener{
		dir: dir, net: l, serve: serve, refused: refused, user: user,
		tokens: map[[sha256.Size]byte]owner{}, conns: map[net.Conn]owner{},
	}
	caught.Go(s.accept) // until Close
	s.sweeper = caught.After(sweepAfter, func() { sweep(root) })
	return s, nil
}

// sweep removes the sockets of hosts that were killed.
func sweep(root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, prefix+"*"))
	for _, dir := range dirs {
		path := filepath.Join(dir, "s")
		if !private.Dead(path) {
			continue
		}
		_ = os.Remove(path)
		_ = os.Remove(dir)
	}
}

// Path returns the path of the socket.
func (l *Listener) Path() string { return filepath.Join(l.dir, "s") }

// Token returns a new token of a session, for an agent.
func (l *Listener) Token(session string, agent any) string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	token := hex.EncodeToString(secret[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens[sha256.Sum256([]byte(token))] = owner{session, agent}
	return token
}

// Forget ends the connections of a session that an agent has, and makes its tokens void; with nil those of all agents.
func (l *Listener) Forget(session string, agent any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for token, of := range l.tokens {
		if of.is(session, agent) {
			delete(l.tokens, token)
		}
	}
	for conn, of := range l.conns {
		if of.is(session, agent) {
			_ = conn.Close()
		}
	}
}

// Close ends all connections and removes the socket. It does not wait for those that are being served.
func (l *Listener) Close() {
	l.mu.Lock()
	l.closed = true
	for conn := range l.conns {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.sweeper.Stop()
	_ = l.net.Close()
	_ = os.RemoveAll(l.dir)
}

func (l *Listener) accept() {
	for {
		conn, err := l.net.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files: others may be closed meanwhile
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if !l.keep(conn) {
			_ = conn.Close()
			return
		}
		caught.Go(func() { l.greet(conn) }) // until the connection ends
	}
}

// keep notes a connection of which nothing is known yet, and ends the oldest of too many. It reports false if the listener is closed.
func (l *Listener) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.conns[conn] = owner{}
	l.silent = append(l.silent, conn)
	if len(l.silent) > maxWaiting {
		_ = l.silent[0].Close()
		l.silent = slices.Delete(l.silent, 0, 1)
	}
	return true
}

// spoke notes that a connection has said its first line, or says none.
func (l *Listener) spoke(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = slices.DeleteFunc(l.silent, func(c net.Conn) bool { return c == conn })
}

func (l *Listener) drop(conn net.Conn) {
	_ = conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
}

// greet checks who connects, and serves them.
func (l *Listener) greet(conn net.Conn) {
	defer l.drop(conn)
	session, err := l.check(conn)
	l.spoke(conn)
	if errors.Is(err, errSilent) {
		return
	}
	if err != nil {
		_, _ = io.WriteString(conn, "refused: "+err.Error()+"\n")
		l.refused(err.Error())
		return
	}
	if _, err := io.WriteString(conn, welcome+"\n"); err != nil {
		return
	}

	l.serve(session, conn)
}

// errSilent is the end of a connection that says nothing: another host asks whether this one lives.
var errSilent = errors.New("it says nothing")

// check returns the session whose token a connection of this user's says.
func (l *Listener) check(conn net.Conn) (session string, err error) {
	pid, uid, err := private.Peer(conn)
	switch {
	case err != nil:
		return "", fmt.Errorf("it cannot be told who connects: %w", err)
	case uid != l.user:
		return "", fmt.Errorf("process %d is not yours (user %d)", pid, uid)
	}

	line, err := firstLine(conn)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return "", errSilent
	case err != nil:
		return "", fmt.Errorf("process %d says no token: %w", pid, err)
	}

	token, ok := strings.CutPrefix(line, greeting)
	l.mu.Lock()
	defer l.mu.Unlock()

	of, known := l.tokens[sha256.Sum256([]byte(token))] // the hash takes the same time for each
	if !ok || !known {
		return "", fmt.Errorf("process %d has no token of an open session", pid)
	}

	l.conns[conn] = of // before the session can be forgotten
	return of.session, nil
}

// firstLine reads a line, and nothing beyond it, within a while.
func firstLine(conn net.Conn) (string, error) {
	_ = conn.SetReadDeadline(time.Now().Add(maxWait))
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	var line []byte
	var c [1]byte
	for len(line) < maxLine {
		if _, err := io.ReadFull(conn, c[:]); err != nil {
			if len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		if c[0] == '\n' {
			return string(line), nil
		}
		line = append(line, c[0])
	}

	return "", bufio.ErrTooLong
}

// Bridge connects to the socket at path and copies between it and in and out until either side ends. It returns an error if it
// is refused or the host has gone.
func Bridge(path, token string, in io.Reader, out io.Writer) error {
	gone := func(err error) error { return fmt.Errorf("the host of this session has gone: %w", err) }
	conn, _, err := private.Dial(path, maxWait)
	if err != nil {
		return gone(err)
	}

	defer conn.Close()
	if _, err := io.WriteString(conn, greeting+token+"\n"); err != nil {
		return gone(err) // it was killed meanwhile
	}

	line, err := firstLine(conn)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, bufio.ErrTooLong):
		return err
	case err != nil:
		return gone(err)
	}

	if line != welcome {
		return errors.New(line)
	}

	ended := make(chan error, 2)
	caught.Go(func() { // ends with in, or with the process
		_, err := io.Copy(conn, in)
		if err == nil {
			err = conn.CloseWrite()
		}
		if err != nil {
			ended <- err
		}
	})
	caught.Go(func() { // ends with the connection
		_, err := io.Copy(out, conn)
		ended <- err
	})
	return <-ended
}
