package acp

import (
	"os"

	"golang.org/x/sys/unix"
)

const pipeSize = 1 << 20 // bytes; by default it is 64 KiB

// widen makes a pipe hold more, so that a large message does not change hands a hundred times. The system may refuse.
func widen(f *os.File) {
	if f == nil {
		return
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
