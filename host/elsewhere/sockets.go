package elsewhere

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// accepts is the flag of a socket that is listened on, in /proc/net/unix.
const accepts = 1 << 16

// maxSockets bounds how many sockets that a search has found are hidden. What is beyond is said.
const maxSockets = 300

// manySockets is said where not all sockets are hidden.
func manySockets(count int, first string) string {
	return fmt.Sprintf("%d sockets in this session's folders are hidden from the agent, and %d only if a program listens on them "+
		"under their whole path, from %s on", maxSockets, count-maxSockets, first)
}

// listener is a socket that is listened on.
type listener struct {
	path  string // without links
	inode string // of the socket, which is another one after the program has started anew
}

// listening returns the sockets that programs listen on now: other Neovims, terminal multiplexers, databases. A path can be relative to
// the program's folder, which is not known: it is looked for in some absolute folders and those around them. It waits for the disk.
func listening(folders []string) []listener {
	text, _ := os.ReadFile("/proc/net/unix") // there is none but on Linux
	var list []listener
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line) // number: references protocol flags type state inode path
		if len(fields) < 8 {
			continue
		}

		flags, err := strconv.ParseUint(fields[3], 16, 64)
		if err != nil || flags&accepts == 0 {
			continue
		}

		_, path, _ := strings.Cut(line, " "+fields[6]+" ")
		path = strings.TrimSuffix(path, "\n")
		names := []string{path}
		if !filepath.IsAbs(path) {
			names = nil
			for _, dir := range folders {
				for ; dir != "/"; dir = filepath.Dir(dir) {
					names = append(names, filepath.Join(dir, path))
				}
			}
		}
		for _, name := range names {
			if info, err := os.Stat(name); err != nil || info.Mode()&os.ModeSocket == 0 {
				continue
			}
			if real, err := buffers.Real(name); err == nil {
				list = append(list, listener{real, fields[6]})
			}
		}
	}

	return list
}
