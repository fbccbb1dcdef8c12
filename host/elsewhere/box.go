package elsewhere

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// box is how bubblewrap makes a sandbox: anew for each command that starts in it. It does not change.
//
// What it shows is an identity, and no name: what runs in a sandbox could put a link in place of a folder, and the next sandbox, which
// bubblewrap makes outside, would have what that leads to. So folders that an agent can write stay open, are compared before each
// command, and once more in its sandbox, by stat, before the command begins.
type box struct {
	words []string // the program, and what does not depend on the disk
	binds []bind   // folders before those in them
	empty []string // folders that words make, which become read-only once all is in them
	stat  string   // the program that compares, "" only in tests
}

// bind is a folder or file that a sandbox sees, or does not see, at the path that it has here.
type bind struct {
	path   string
	access Access
	kind   fs.FileMode // its type when the sandbox opened

	real  string // the path without links
	ours  bool   // the agent can write around it, or in it: it is compared
	named bool   // nothing is mounted there: it is only compared
	link  bool   // it is a link in a folder that is hidden, so it is made anew
	held  *held  // nil: it may become another file or folder of this type
}

// newBinds returns what a sandbox shows and hides, by path: folders before those in them, and with each all folders on the way to it
// that the agent can write. These are mounted onto themselves, since what is mounted cannot be renamed. Under a name with links nothing is
// mounted: what is protected is by its real path only.
func newBinds(access map[string]Access, hidden []string) []bind {
	all := map[string]bind{}
	for path, a := range access {
		real, err := buffers.Real(path)
		if err != nil {
			real = path
		}
		all[path] = bind{path: path, access: a, kind: kind(real), real: real}
	}

	above := func(path string) (string, bool) { // the bind that shows the folder of a path
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if b, ok := all[dir]; ok {
				return dir, b.access == Writable && b.kind.IsDir()
			}
		}
		return "", false
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b := all[path]
		if b.real != path && b.access != Hidden {
			around, _ := above(path)
			b.named = true // the link is to be seen anyway …
			b.link = around == "" && buffers.Inside(hidden, path)
			all[path] = b // … and what it leads to is in the list, or in what is not hidden
			continue
		}

		_, within := above(b.real)
		b.ours = within || b.access == Writable && b.kind.IsDir()
		all[path] = b
		around, writable := above(path)
		if !writable {
			continue
		}
		for dir := filepath.Dir(path); dir != around; dir = filepath.Dir(dir) {
			all[dir] = bind{path: dir, access: Writable, kind: fs.ModeDir, real: dir, ours: true}
		}
	}

	var list []bind
	for _, path := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[path])
	}

	return list
}

// hold opens the folders that must stay what they are. The caller lets them go, also after an error.
func (x *box) hold() error {
	for i, b := range x.binds {
		if !b.ours || !b.kind.IsDir() || b.access == ReadOnly {
			continue // what is read-only can be another one, if it is no link
		}
		var err error
		if x.binds[i].held, err = hold(b.real); err != nil {
			return err
		}
	}
	return nil
}

// letGo closes what is held. Nothing enters afterwards.
func (x *box) letGo() {
	for _, b := range x.binds {
		if b.held != nil {
			_ = b.held.file.Close()
		}
	}
}

// enter returns the words of bubblewrap before a command that also reads some folders, and does not have some sockets; and those that
// follow them and its own, which compare once more. It is an error if something has been moved. It waits for the disk.
func (x box) enter(sees []string, sockets []bind) (argv, compare []string, err error) {
	argv, empty := slices.Clone(x.words), slices.Clone(x.empty)
	var shown []seen
	for _, b := range append(slices.Clone(x.binds), sockets...) {
		id, there, err := b.now()
		if err != nil {
			return nil, nil, err
		}
		switch {
		case !there:
			continue
		case b.link:
			argv = append(argv, "--symlink", b.real, b.path)
		case b.named:
		case b.access == Writable:
			argv = append(argv, "--bind", b.source(), b.path)
		case b.access == ReadOnly:
			argv = append(argv, "--ro-bind", b.source(), b.path)
		case b.kind.IsDir():
			argv = append(argv, "--tmpfs", b.path)
			empty = append(empty, b.path)
		default:
			argv = append(argv, "--ro-bind", os.DevNull, b.path)
		}

		if b.ours && b.access != Hidden {
			shown = append(shown, seen{b.path, id, b.path != b.real})
		}
	}

	for _, dir := range sees {
		info, err := os.Lstat(dir)
		if err != nil {
			return nil, nil, err
		}
		argv = append(argv, "--ro-bind", dir, dir)
		shown = append(shown, seen{dir, idOf(info), false})
	}

	for _, dir := range empty {
		argv = append(argv, "--remount-ro", dir)
	}

	if x.stat == "" {
		return argv, nil, nil
	}

	return argv, comparing(x.stat, shown), nil
}

// source is what is mounted.
func (b bind) source() string {
	if b.ours {
		return b.real
	}
	return b.path
}

// now returns what is at a bind, and false if it is gone and that is harmless, as after a program has ended and removed its socket:
// bubblewrap would fail, or make a file there. It is an error if it was moved, or is another one.
func (b bind) now() (fileID, bool, error) {
	if !b.ours {
		_, err := os.Stat(b.path)
		return fileID{}, err == nil && (b.access != Hidden || kind(b.path) == b.kind), nil
	}

	info, err := os.Lstat(b.real)
	if err != nil {
		info = nil
	}
	switch {
	case b.held != nil && info != nil:
		if !info.IsDir() || idOf(info) != b.held.id {
			return fileID{}, false, errMoved(b.path)
		}
	case b.held != nil:
		if !b.held.removed() {
			return fileID{}, false, errMoved(b.path)
		}
		return fileID{}, false, nil
	case b.access == Hidden:
		return fileID{}, info != nil && info.Mode().Type() == b.kind, nil
	case info == nil && regular.Exists(filepath.Dir(b.real)):
		return fileID{}, false, errMoved(b.path) // without it the agent could make what is to be protected
	case info == nil:
		return fileID{}, false, nil
	case info.Mode().Type() != b.kind:
		return fileID{}, false, errMoved(b.path)
	}

	return idOf(info), true, nil
}

// seen is what a sandbox must have at a path.
type seen struct {
	path  string
	id    fileID
	other bool // it has another path outside, so that there may be a link to it
}

// chunk is how many paths are compared at once: a word of a command line has a length.
const chunk = 200

// compareScript compares what is mounted, and begins the command: it gets how many comparisons there are, these, and the words of the
// command.
const compareScript = `nvim_acp=$1; shift
while [ "$nvim_acp" -gt 0 ]; do
  eval "$1" || { echo "nvim-acp: a folder was moved while the sandbox was made, so nothing is run in it (:AcpRestart)" >&2; exit 126; }
  shift; nvim_acp=$((nvim_acp-1))
done
unset nvim_acp
exec "$@"`

// comparing returns the words that stand before a command in a sandbox.
func comparing(stat string, list []seen) []string {
	var tests []string
	add := func(list []seen, option string) {
		for part := range slices.Chunk(list, chunk) {
			var names, want []string
			for _, s := range part {
				names, want = append(names, quote(s.path)), append(want, s.id.String())
			}
			tests = append(tests, fmt.Sprintf(`[ "$(%s %s-c %%d:%%i -- %s)" = %s ]`,
				quote(stat), option, strings.Join(names, " "), quote(strings.Join(want, "\n"))))
		}
	}

	var own, other []seen
	for _, s := range list {
		if s.other {
			other = append(other, s)
		} else {
			own = append(own, s)
		}
	}

	add(own, "")
	add(other, "-L ")
	return append([]string{"/bin/sh", "-c", compareScript, "sh", fmt.Sprint(len(tests))}, tests...)
}

// kind returns the type of a file, [fs.ModeIrregular] if there is none.
func kind(name string) fs.FileMode {
	info, err := os.Lstat(name)
	if err != nil {
		return fs.ModeIrregular
	}
	return info.Mode().Type()
}
