package buffers

import (
	"fmt"
	"os"
	"strings"
)

// openedAt returns the path that an open file has, or had before it was deleted. It was opened by name.
func openedAt(f *os.File, name string) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil || path == name {
		return name
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// again is a name by which an open folder can be opened once more, whatever its path leads to by then.
func again(f *os.File, _ string) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
