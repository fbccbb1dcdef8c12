package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newScratch returns a file in memory that has no name, and the path by which Neovim, being of the same user on the same
// machine, can append to it. The caller closes it.
func newScratch() (*os.File, string, error) {
	fd, err := unix.MemfdCreate("nvim-acp", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, "", fmt.Errorf("memory to read a buffer into: %w", err)
	}
	return os.NewFile(uintptr(fd), "scratch"), fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), nil
}
