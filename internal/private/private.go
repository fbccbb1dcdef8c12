// Package private is the door to what only this user can reach: Unix sockets and the folders that they are in. Both ends check
// the folder, and who is at the other end, before the first byte. [Loopback] is for programs that take no such
// socket. It starts no goroutine.
package private

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// maxRoot is the most bytes of a folder that sockets are made below: the path of a socket has a hundred bytes at most.
const maxRoot = 60

// Root returns the folder of this user's sockets: $XDG_RUNTIME_DIR, else the one for temporary files, which others may share.
func Root() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && len(dir) < maxRoot {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	if dir := os.TempDir(); len(dir) < maxRoot {
		return dir
	}
	return "/tmp"
}

// Listen listens on the socket dir/name, with mode 0600, in a folder that passes [CheckFolder]. A socket that has its name has
// somebody who listens, or belongs to a process that was killed: as long as it is only bound it has another one, so that nobody
// takes it for dead.
func Listen(dir, name string) (*net.UnixListener, error) {
	if err := CheckFolder(dir); err != nil {
		return nil, err
	}

	bound := filepath.Join(dir, "."+name)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: bound, Net: "unix"})
	if err != nil {
		return nil, err
	}

	l.SetUnlinkOnClose(false)
	if err = os.Chmod(bound, 0o600); err == nil {
		err = os.Rename(bound, filepath.Join(dir, name))
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}

	return l, nil
}

// Dial connects to a socket in a folder that passes [CheckFolder], on which a process of this user listens. Nothing is sent to
// any other. It returns the process that listens, as far as the kernel knows it.
func Dial(path string, patience time.Duration) (conn *net.UnixConn, pid int, err error) {
	return dial(path, patience, os.Getuid())
}

// dial is Dial to a process of some user's.
func dial(path string, patience time.Duration, user int) (conn *net.UnixConn, pid int, err error) {
	if err := CheckFolder(filepath.Dir(path)); err != nil {
		return nil, 0, err
	}

	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, 0, &net.OpError{Op: "dial", Net: "unix", Err: err}
	case info.Mode().Type() != os.ModeSocket:
		return nil, 0, foreign("%s is no socket", path)
	}

	c, err := net.DialTimeout("unix", path, patience)
	if err != nil {
		return nil, 0, err
	}

	pid, uid, err := Peer(c)
	if err == nil && uid != user {
		err = foreign("who listens on %s is another user (%d)", path, uid)
	}
	if err != nil {
		_ = c.Close()
		return nil, 0, err
	}

	return c.(*net.UnixConn), pid, nil
}

// Dead reports whether nobody listens on a socket of this user's. It waits a second at most.
func Dead(path string) bool {
	conn, _, err := Dial(path, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// ForeignError says what is not this user's, or could be another's.
type ForeignError struct{ problem string }

func (e *ForeignError) Error() string { return e.problem }

func foreign(format string, args ...any) error { return &ForeignError{fmt.Sprintf(format, args...)} }
