package private

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// Peer returns the process and the user at the other end of a connection, as the kernel knows them.
func Peer(conn net.Conn) (pid, uid int, err error) {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, errors.New("not a Unix socket")
	}

	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}

	var cred *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, failed); err != nil {
		return 0, 0, err
	}

	return int(cred.Pid), int(cred.Uid), nil
}
