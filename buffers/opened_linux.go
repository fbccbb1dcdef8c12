package buffers

import (
	"fmt"
	"os"
	"strings"
)

// openedAt returns the path that an open file has, or had before it was deleted; "" if that is not known.
func openedAt(f *os.File) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}
