package secrets

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/host/paths"
)

// A file has as many names as it has hard links. One that has several is compared with those that may hold secrets by what the system
// tells files apart by.

// maxListed is how many entries of folders outside of the session's are looked at.
const maxListed = 5000

// ID tells files apart, whatever their names.
type ID struct{ device, inode uint64 }

// IDOf returns the identity of an open file.
func IDOf(device, inode uint64) ID { return ID{device, inode} }

// Identify returns the identity of a file, and whether it has several names; the zero value if it is none.
func Identify(path string) (id ID, several bool) {
	id, names := identity(path)
	return id, names > 1
}

// identity returns that of a file, and how many names it has; 0 if it is none.
func identity(path string) (id ID, names uint64) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ID{}, 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, 0
	}
	return ID{uint64(stat.Dev), uint64(stat.Ino)}, uint64(stat.Nlink) // on some systems they are smaller
}

// Known returns the files that match, by all of their names that do: below the folders, where patterns name a folder, and in the user's
// home, as far as there are not too many, until ctx ends, and reports whether they are all. Those that have one name only are among them,
// since they may get another one.
func (p Patterns) Known(ctx context.Context) (known map[ID][]string, all bool) {
	known = map[ID][]string{}
	add := func(path string) {
		if id, names := identity(path); names > 0 && !slices.Contains(known[id], path) {
			known[id] = append(known[id], path)
		}
	}

	list, all := p.below(ctx)
	for _, path := range list {
		add(path)
	}

	for _, glob := range p.elsewhere() {
		folder, rest := doublestar.SplitPattern(glob)
		left := maxListed
		entries := listing{os.DirFS(folder), func() bool { return ctx.Err() != nil }, &left}
		_ = doublestar.GlobWalk(entries, rest, func(name string, d fs.DirEntry) error {
			add(filepath.Join(folder, name))
			return ctx.Err()
		}, doublestar.WithNoFollow(), doublestar.WithCaseInsensitive())
		all = all && left > 0 && ctx.Err() == nil
	}

	return known, all
}

// below returns the files below the folders that match, wherever they lie: one in node_modules can have a name beside it. It reports
// whether they are all.
func (p Patterns) below(ctx context.Context) (list []string, all bool) {
	seen := 0
	all = true
	for _, root := range p.roots {
		within := "" // a folder that matches, with all that is in it
		if p.Match(root) != "" {
			within = root
		}

		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxWalked || len(list) >= maxNames || ctx.Err() != nil:
				all = false
				return filepath.SkipAll
			case err != nil:
				return nil
			}

			matches := within != "" && paths.Below(path, within) || p.matchesItself(path)
			switch {
			case matches && d.Type().IsRegular():
				list = append(list, path)
			case matches && d.IsDir() && (within == "" || !paths.Below(path, within)):
				within = path
			}

			return nil
		})
	}

	return list, all
}

// matchesItself reports whether a path below the folders matches, or a file of which it may be a copy, whatever the folders above it do.
func (p Patterns) matchesItself(path string) bool {
	return p.matchesName(path) || slices.ContainsFunc(originals(path), p.matchesName)
}

func (p Patterns) matchesName(path string) bool {
	path = strings.ToLower(path)
	base := filepath.Base(path)
	for _, one := range p.list {
		if one.all {
			return true
		}
		for _, glob := range one.globs {
			if last := lastOf(glob); last != "" { // which takes a tenth of the time
				if ok, err := doublestar.Match(last, base); !ok && err == nil {
					continue
				}
			}
			if ok, err := doublestar.Match(glob, path); ok || err != nil {
				return true
			}
		}
	}

	return false
}

// lastOf returns the last segment of a glob, "" if that may be for several.
func lastOf(glob string) string {
	last := filepath.Base(glob)
	if last == "**" || strings.ContainsAny(glob, `{}[]\\`) {
		return ""
	}
	return last
}

// elsewhere are patterns of files outside of the folders: those that name theirs, and those of any folder, in the user's home.
func (p Patterns) elsewhere() (globs []string) {
	home, err := os.UserHomeDir()
	for _, one := range p.list {
		segments, ok := clean(one.text)
		switch {
		case !ok || one.all || len(segments) == 0 || segments[0] == "..":
		case strings.HasPrefix(one.text, "/"):
			globs = append(globs, "/"+strings.Join(segments, "/"))
		case err != nil:
		case segments[0] == "~" || segments[0] == "**":
			globs = append(globs, quote(home)+"/"+strings.Join(segments[1:], "/"))
		case !strings.Contains(one.text, "/"):
			globs = append(globs, quote(home)+"/"+one.text)
		}
	}

	return globs
}

// listing is a file system of which only so many entries are listed.
type listing struct {
	fs.FS
	over func() bool
	left *int
}

// ReadDir implements [fs.ReadDirFS].
func (l listing) ReadDir(name string) ([]fs.DirEntry, error) {
	if *l.left <= 0 || l.over() {
		return nil, fs.ErrPermission
	}

	f, err := l.Open(name)
	if err != nil {
		return nil, err
	}

	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, fs.ErrInvalid
	}

	list, err := dir.ReadDir(*l.left)
	*l.left -= len(list)
	if errors.Is(err, io.EOF) {
		err = nil
	}

	return list, err
}
