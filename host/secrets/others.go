package secrets

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/paths"
)

// A program that looks for files finds a secret by each name that it has: hard links, links to it, and those to a folder above it.

// Bounds of what is looked at for other names.
const (
	maxFollowed = 20_000 // links
	maxOthers   = 10_000 // names
	maxThrough  = 4      // links to folders on the way to a name
)

// Others returns names below the folders of files that are known, by one that each has there, and of files elsewhere that match and that
// links to folders lead to. It looks until ctx ends, and reports whether they are all. A path that goes through the same link twice, or
// through more than a few, is none of them.
func (p Patterns) Others(ctx context.Context, known map[ID][]string) (others map[string][]string, all bool) {
	s := names{others: map[string][]string{}, links: map[string][]string{}}
	all = s.walk(ctx, p.roots, known)
	for _, list := range known {
		for _, path := range list {
			s.follow(path, path, nil)
		}
		for _, name := range slices.Clone(s.others[list[0]]) {
			s.follow(list[0], name, nil)
		}
	}

	left := maxListed
	for target := range s.links {
		if !slices.ContainsFunc(p.roots, func(root string) bool { return paths.Below(target, root) }) {
			s.behind(ctx, p, target, &left)
		}
	}

	return s.others, all && s.count <= maxOthers && ctx.Err() == nil
}

// names is a search for other names.
type names struct {
	others map[string][]string
	links  map[string][]string // by what they lead to
	count  int
}

// walk finds links, and hard links of files that are known, below folders. It reports whether it has seen all.
func (s *names) walk(ctx context.Context, roots []string, known map[ID][]string) (all bool) {
	several := map[ID]string{} // files that have names which are not known
	for id, list := range known {
		if _, n := identity(list[0]); int(n) > len(list) {
			several[id] = list[0]
		}
	}

	seen, links := 0, 0
	all = true
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxWalked || links > maxFollowed || ctx.Err() != nil:
				all = false
				return filepath.SkipAll
			case err != nil:
				return nil
			case d.Type() == fs.ModeSymlink:
				links++
				if real, err := filepath.EvalSymlinks(path); err == nil {
					s.links[real] = append(s.links[real], path)
				}
			case d.Type().IsRegular() && len(several) > 0:
				id, n := identity(path)
				if first := several[id]; n > 1 && first != "" && !slices.Contains(known[id], path) {
					s.add(first, path)
				}
			}
			return nil
		})
	}

	return all
}

func (s *names) add(path, name string) {
	if s.count++; s.count <= maxOthers {
		s.others[path] = append(s.others[path], name)
	}
}

// follow adds the names that a file with a name has through links to that or to a folder above it, other than some.
func (s *names) follow(path, name string, through []string) {
	if len(through) == maxThrough || s.count > maxOthers {
		return
	}
	for target := name; target != "/" && target != "."; target = filepath.Dir(target) {
		for _, link := range s.links[target] {
			if slices.Contains(through, link) {
				continue
			}
			other := link + name[len(target):]
			if other != name && !slices.Contains(s.others[path], other) {
				s.add(path, other)
				s.follow(path, other, append(slices.Clone(through), link))
			}
		}
	}
}

// behind adds what matches in a folder that is not below the folders of the session, and that links lead to.
func (s *names) behind(ctx context.Context, p Patterns, folder string, left *int) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if *left--; *left < 0 || ctx.Err() != nil {
			return filepath.SkipAll
		}
		if err == nil && d.Type().IsRegular() && p.Match(path) != "" {
			s.follow(path, path, nil)
		}
		return nil
	})
}
