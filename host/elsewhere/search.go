package elsewhere

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// discovery is what a search finds.
type discovery struct {
	repositories map[string]string // by path, what tells one from another in its place
	sockets      []string
	runs         []string // files that programs outside run by themselves
	whole        bool     // there are not more folders than are searched
}

// search returns the repositories in folders: .git of any kind, folders that are repositories without a working tree,
// and those of submodules and further working trees; and the sockets beside them, in order. It waits for the disk, until ctx ends.
func search(ctx context.Context, roots []string, most int) discovery {
	s := searcher{discovery: discovery{repositories: map[string]string{}}, left: most}
	for _, root := range roots { // whatever else has names that come before
		if git := filepath.Join(root, ".git"); regular.Exists(git) {
			s.add(ctx, git)
		}
	}

	for _, root := range roots {
		s.walk(ctx, root, false)
	}

	slices.Sort(s.sockets)
	slices.Sort(s.runs)
	return discovery{s.repositories, slices.Compact(s.sockets), slices.Compact(s.runs), s.left >= 0}
}

// searcher is a search that is under way.
type searcher struct {
	discovery
	left int // folders that it may still look at
}

// add adds a folder .git, and the repositories in it.
func (s *searcher) add(ctx context.Context, git string) {
	s.repositories[git] = identity(git)
	s.addWorktrees(git)
	s.walk(ctx, filepath.Join(git, "modules"), true)
}

// addWorktrees adds the repositories of further working trees, also where worktrees is a link, which WalkDir does not follow.
func (s *searcher) addWorktrees(git string) {
	list, _ := os.ReadDir(filepath.Join(git, "worktrees")) // what cannot be read is none for Git either
	for _, e := range list {
		path := filepath.Join(git, "worktrees", e.Name())
		if s.left--; s.left >= 0 && regular.Exists(filepath.Join(path, "HEAD")) {
			s.repositories[path] = identity(path)
		}
	}
}

// walk searches a folder, which may be within a repository.
func (s *searcher) walk(ctx context.Context, root string, within bool) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return nil // what cannot be read is no repository for Git either
		}
		return s.visit(ctx, path, e, within)
	})
}

func (s *searcher) visit(ctx context.Context, path string, e fs.DirEntry, within bool) error {
	if e.IsDir() {
		if s.left--; s.left < 0 {
			return fs.SkipAll
		}
	}
	if e.Type() == fs.ModeSymlink && !within {
		s.runs = append(s.runs, runBehind(path)...)
	}

	switch {
	case e.Type() == fs.ModeSocket:
		s.sockets = append(s.sockets, path)
	case !e.IsDir() && !within && runBy(path) != "":
		s.runs = append(s.runs, path)
	case isGit(e.Name()) && e.IsDir():
		s.add(ctx, path)
		return fs.SkipDir
	case isGit(e.Name()):
		s.repositories[path] = identity(path)
	case e.Name() == "HEAD":
		if dir := filepath.Dir(path); looksLike(dir, "head") {
			s.repositories[dir] = identity(dir)
			s.addWorktrees(dir)
		}
	case within && e.IsDir() && e.Name() == "objects" && s.repositories[filepath.Dir(path)] != "":
		return fs.SkipDir
	}

	return nil
}

// looksLike reports whether Git takes a folder for a repository once it has a file or folder of a name, which is in small letters.
func looksLike(dir, name string) bool {
	has := func(other string) bool {
		return name == strings.ToLower(other) || regular.Exists(filepath.Join(dir, other))
	}
	return has("HEAD") && (has("objects") || has("commondir"))
}

// identity tells a repository from another one at the same path: a folder by its inode and by what may lead Git to a
// further configuration, which is not there as a rule; a file by its bytes.
func identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	text := idOf(info).String() + "\n"
	if info.IsDir() {
		return text + identity(filepath.Join(path, "commondir")) + identity(filepath.Join(path, "config.worktree"))
	}
	return text + version(path)
}
