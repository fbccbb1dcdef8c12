// Package private makes Unix sockets that only this user can reach. It starts no goroutine.
package private

import (
	"errors"
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

// Listen listens on the socket dir/name, with mode 0600. A socket that has its name has somebody who listens, or belongs to a
// process that was killed: as long as it is only bound it has another one, so that nobody takes it for dead.
func Listen(dir, name string) (*net.UnixListener, error) {
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

// Dead reports whether nobody listens on a socket. It waits a second at most.
func Dead(path string) bool {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
