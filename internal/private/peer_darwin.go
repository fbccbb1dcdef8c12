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

	var failed, lost error
	err = raw.Control(func(fd uintptr) {
		var cred *unix.Xucred
		if cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); failed == nil {
			uid = int(cred.Uid)
			pid, lost = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		}
	})
	return pid, uid, errors.Join(err, failed, lost)
}
