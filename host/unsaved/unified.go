package unsaved

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// unified returns the change from the disk to the screen as a unified diff, with the numbers of lines that it adds and deletes.
func unified(f File) (diff string, added, deleted int) {
	disk, screen := buffers.Parse(f.Disk), buffers.Parse(f.Text)
	var b strings.Builder
	path := plain(f.Path)
	head := path
	if f.Missing {
		head = "/dev/null"
	}

	fmt.Fprintf(&b, "--- %s\n+++ %s (unsaved)\n", head, path)
	if disk.CRLF != screen.CRLF && !f.Missing && f.Disk != "" {
		fmt.Fprintf(&b, "# line ends: %s on disk, %s unsaved\n", lineEnd(disk), lineEnd(screen))
	}

	hunks, added, deleted := buffers.Unified(disk, screen)
	b.WriteString(hunks)
	return b.String(), added, deleted
}

// plain returns a path as it is, or quoted if it is not one line of plain characters.
func plain(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

func lineEnd(t buffers.Text) string {
	if t.CRLF {
		return "CRLF"
	}
	return "LF"
}
