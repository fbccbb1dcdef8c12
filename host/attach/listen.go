package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// Dir returns the folder of the sockets of this user's hosts. It may not be there. lua/nvim-acp/attach/hosts.lua has
// the same rule.
func Dir() string {
	root := private.Root()
	if root == os.Getenv("XDG_RUNTIME_DIR") { // which others cannot enter
		return filepath.Join(root, "nvim-acp")
	}
	return filepath.Join(root, "nvim-acp-"+strconv.Itoa(os.Getuid()))
}

// makeDir makes the folder of the sockets, and returns an error, which says what to do, unless it is this user's alone.
func makeDir() (string, error) {
	dir := Dir()
	err := private.MakeFolder(dir)
	var not *private.ForeignError
	if err != nil && !errors.As(err, &not) {
		err = noFolder(dir, err)
	}
	return dir, err
}

// Listener accepts connections of this user's programs to a host, and keeps the host's record, by which it is found
// wherever its socket is. It is safe for concurrent use.
type Listener struct {
	serve func(conn net.Conn, pid int)
	noted chan struct{} // size 1: there is something to be kept
	done  chan struct{} // closed by Forget
	over  chan struct{} // closed when the record is removed
	ready chan struct{} // closed when log is there

	log *os.File // gets the process's stderr; nil: it could not be made

	mu     sync.Mutex // guards all below
	path   string
	socket os.FileInfo // of path
	net    net.Listener
	conns  map[net.Conn]bool
	about  About
	closed bool
}

// watchTime is the time between two looks at the socket. Only tests change it.
var watchTime = time.Second

// Listen listens on a socket of this process, and on a new one if that is removed. For each connection it calls serve
// with the process at its other end, in a goroutine of its own, and closes the connection when that returns. The
// record and the log of the host are below state, the plugin's own state folder; without one there are none. mark is that of
// the host's processes, by which what a killed host leaves is found.
func Listen(state, mark string, serve func(conn net.Conn, pid int)) (*Listener, error) {
	l := &Listener{
		serve: serve, conns: map[net.Conn]bool{},
		noted: make(chan struct{}, 1), done: make(chan struct{}), over: make(chan struct{}), ready: make(chan struct{}),
	}
	if err := l.listen(); err != nil {
		return nil, err
	}

	caught.Go(func() { // until Forget
		if state != "" {
			l.log, _ = openLog(state) // a host without a log is one all the same
		}
		close(l.ready)
		l.watch(newKeeper(state, mark))
	})
	return l, nil
}

// listen makes a socket and accepts connections on it.
func (l *Listener) listen() error {
	dir, err := makeDir()
	if err != nil {
		return err
	}

	name := strconv.Itoa(os.Getpid())
	for i := 1; i < 10 && taken(filepath.Join(dir, name)); i++ { // by a process of another namespace
		name = fmt.Sprintf("%d-%d", os.Getpid(), i)
	}

	path := filepath.Join(dir, name)
	sock, err := private.Listen(dir, name)
	if err != nil {
		return noSocket(dir, err)
	}

	info, err := os.Lstat(path)
	if err != nil {
		_ = sock.Close()
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	if l.closed {
		_ = os.Remove(path)
		return errors.Join(net.ErrClosed, sock.Close())
	}
	if l.net != nil {
		_ = l.net.Close() // nobody can reach it
	}

	l.path, l.socket, l.net = path, info, sock
	caught.Go(func() { l.accept(sock) }) // until it is closed
	return nil
}

// taken reports whether somebody listens on a socket.
func taken(path string) bool {
	_, err := os.Lstat(path)
	return err == nil && !private.Dead(path)
}

// watch keeps the record until Forget, and the socket until Close.
func (l *Listener) watch(k *keeper) {
	defer close(l.over)
	defer k.remove()
	clock := time.NewTicker(watchTime)
	defer clock.Stop()
	for dirty := false; ; {
		select {
		case <-l.done:
			return
		case <-l.noted:
			dirty = true
		case <-clock.C:
			boundLog(l.log)
			dirty = dirty || k.lost()
			l.mu.Lock()
			path, socket, closed := l.path, l.socket, l.closed
			l.mu.Unlock()
			if closed {
				continue
			}
			if now, err := os.Lstat(path); err != nil || !os.SameFile(now, socket) {
				dirty = l.listen() == nil || dirty // else again, a moment later
			}
		}

		if dirty {
			dirty = k.write(l.Noted()) != nil
		}
	}
}

// Note has the record describe the host so, a moment later.
func (l *Listener) Note(about About) {
	l.mu.Lock()
	l.about = about
	l.mu.Unlock()
	select {
	case l.noted <- struct{}{}:
	default:
	}
}

// Noted returns what the record says, or is about to say.
func (l *Listener) Noted() About {
	l.mu.Lock()
	defer l.mu.Unlock()
	about := l.about
	about.Path = l.path
	select {
	case <-l.ready:
		if l.log != nil {
			about.Log = l.log.Name()
		}
	default:
	}
	return about
}

// Path returns the path of the socket.
func (l *Listener) Path() string { return l.Noted().Path }

// Log returns the file that is to have the process's stderr, nil if there is none. It waits for the disk.
func (l *Listener) Log() *os.File {
	<-l.ready
	return l.log
}

// Close removes the socket and ends all connections. It does not wait for those that are being served. The record
// stays, until Forget.
func (l *Listener) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for conn := range l.conns {
		_ = conn.Close()
	}
	_ = l.net.Close()
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.socket) {
		_ = os.Remove(l.path)
	}
}

// Forget removes the record of a host that has ended as it should, after Close. It waits for the disk.
func (l *Listener) Forget() {
	close(l.done)
	<-l.over
	if l.log == nil {
		return
	}
	if info, err := l.log.Stat(); err == nil && info.Size() == 0 {
		_ = os.Remove(l.log.Name())
	}
}

func (l *Listener) accept(sock net.Listener) {
	for {
		conn, err := sock.Accept()
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

		caught.Go(func() { // until the connection ends
			defer l.drop(conn)
			l.serve(conn, pid)
		})
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
