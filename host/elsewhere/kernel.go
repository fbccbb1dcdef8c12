package elsewhere

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// kernel returns the words that make read-only what in /proc is of the machine and of no process: root, also without capabilities,
// could tell the kernel there which program to run outside. For other users the kernel itself refuses that.
func kernel() (words []string) {
	if os.Geteuid() != 0 {
		return nil
	}

	list, _ := os.ReadDir("/proc") // there is none but on Linux
	for _, e := range list {
		if _, err := strconv.Atoi(e.Name()); err == nil || e.Type() == fs.ModeSymlink {
			continue
		}
		if info, err := e.Info(); err != nil || !e.IsDir() && info.Mode().Perm()&0o222 == 0 {
			continue
		}
		path := filepath.Join("/proc", e.Name())
		words = append(words, "--ro-bind", path, path)
	}

	return words
}
