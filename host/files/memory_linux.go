package files

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newMemory returns a file in memory that has no name, and a path by which Neovim, as a process of the same user on the same
// machine, can append to it. The caller closes it.
func newMemory() (*os.File, string, error) {
	fd, err := unix.MemfdCreate("nvim-acp", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, "", fmt.Errorf("memory to read a buffer into: %w", err)
	}
	return os.NewFile(uintptr(fd), "buffer"), fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), nil
}
