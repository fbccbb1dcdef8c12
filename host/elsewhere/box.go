package elsewhere

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// box is how bubblewrap makes a sandbox: anew for each command that starts in it. It does not change.
type box struct {
	words []string // the program, and what does not depend on the disk
	binds []bind   // folders before those in them
	empty []string // folders that words make, which become read-only once all is in them
	roots []string // the session's folders, without links
}

// enter returns the words of bubblewrap before a command that also reads some folders, and does not have some sockets. It waits for
// the disk.
func (x box) enter(sees []string, sockets []bind) []string {
	argv, empty := slices.Clone(x.words), slices.Clone(x.empty)
	for _, b := range append(slices.Clone(x.binds), sockets...) {
		switch {
		case x.gone(b):
		case b.access == Writable:
			argv = append(argv, "--bind", b.path, b.path)
		case b.access == ReadOnly:
			argv = append(argv, "--ro-bind", b.path, b.path)
		case isDir(b.path):
			argv = append(argv, "--tmpfs", b.path)
			empty = append(empty, b.path)
		default:
			argv = append(argv, "--ro-bind", os.DevNull, b.path)
		}
	}
	for _, dir := range sees {
		argv = append(argv, "--ro-bind", dir, dir)
	}
	for _, dir := range empty {
		argv = append(argv, "--remount-ro", dir)
	}
	return argv
}

// gone reports whether there is nothing to show or to hide at a path any more, as after a program has ended and removed its socket:
// bubblewrap would fail, or make a file there.
func (x box) gone(b bind) bool {
	if b.access == Hidden {
		return kind(b.path) != b.kind
	}
	if b.access == ReadOnly && buffers.Inside(x.roots, b.path) && exists(filepath.Dir(b.path)) {
		return false // without it the agent could make what its repository is to be protected from
	}
	_, err := os.Stat(b.path)
	return err != nil
}

// kind returns the type of a file, [fs.ModeIrregular] if there is none.
func kind(name string) fs.FileMode {
	info, err := os.Lstat(name)
	if err != nil {
		return fs.ModeIrregular
	}
	return info.Mode().Type()
}
