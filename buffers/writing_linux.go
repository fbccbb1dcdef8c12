package buffers

import (
	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// BeingWritten reports whether some process has a file open for writing. The system gives a read lease only for a file that
// nobody writes; where it gives none at all (the file is another user's, or the file system has no leases) the answer is false.
func BeingWritten(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil { // who wants to write waits until it is given back
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return err == unix.EAGAIN
}
