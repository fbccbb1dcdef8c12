package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/private"
)

// Dir returns the folder of the sockets of this user's hosts. It may not be there. lua/nvim-acp/attach/hosts.lua has the same rule.
func Dir() string {
	root := private.Root()
	if root == os.Getenv("XDG_RUNTIME_DIR") { // which others cannot enter
		return filepath.Join(root, "nvim-acp")
	}
	return filepath.Join(root, "nvim-acp-"+strconv.Itoa(os.Getuid()))
}

// makeDir makes the folder of the sockets, and returns an error unless it is this user's alone.
func makeDir() (string, error) {
	dir := Dir()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(sys.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s is not a folder that only you can enter", dir)
	}
	return dir, nil
}

// Listener accepts connections of this user's programs to a host. It is safe for concurrent use.
type Listener struct {
	path  string
	net   net.Listener
	serve func(conn net.Conn, pid int)

	mu     sync.Mutex // guards all below
	conns  map[net.Conn]bool
	closed bool
}

// Listen listens on the socket of this process. For each connection it calls serve with the process at its other end, in a
// goroutine of its own, and closes the connection when that returns.
func Listen(serve func(conn net.Conn, pid int)) (*Listener, error) {
	dir, err := makeDir()
	if err != nil {
		return nil, err
	}
	name := strconv.Itoa(os.Getpid())
	l, err := private.Listen(dir, name)
	if err != nil {
		return nil, err
	}
	s := &Listener{path: filepath.Join(dir, name), net: l, serve: serve, conns: map[net.Conn]bool{}}
	go s.accept() // until Close
	return s, nil
}

// Path returns the path of the socket.
func (l *Listener) Path() string { return l.path }

// Close removes the socket and ends all connections. It does not wait for those that are being served.
func (l *Listener) Close() {
	l.mu.Lock()
	l.closed = true
	for conn := range l.conns {
		_ = conn.Close()
	}
	l.mu.Unlock()
	_ = l.net.Close()
	_ = os.Remove(l.path)
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
		pid, uid, err := private.Peer(conn)
		if err != nil || uid != os.Getuid() || !l.keep(conn) {
			_ = conn.Close()
			continue
		}
		go func() { // until the connection ends
			defer l.drop(conn)
			l.serve(conn, pid)
		}()
	}
}

// keep notes a connection. It reports false if the listener is closed.
func (l *Listener) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.conns[conn] = true
	}
	return !l.closed
}

func (l *Listener) drop(conn net.Conn) {
	_ = conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
}
