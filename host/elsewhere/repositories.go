package elsewhere

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Git runs what the configuration of a repository names, as whoever calls it: what an agent in a sandbox writes there
// would run outside. So the repositories that are there when a sandbox opens cannot be configured in it, and new ones
// are said.

// maxFolders bounds how many folders are searched for repositories, maxRepositories how many of them are protected.
const (
	maxFolders      = 100_000
	maxRepositories = 300
)

// protected are the files and folders of a repository that say what Git runs.
var protected = []string{"hooks", "config", "config.worktree", "commondir"}

// repositories are those of a sandbox's folders that are known. It is safe for concurrent use; the zero value knows
// none.
type repositories struct {
	mu    sync.Mutex        // guards known
	known map[string]string // by path; what tells one from another in its place
}

// search returns the repositories in folders: .git of any kind, folders that are repositories without a working tree,
// and those of submodules. It waits for the disk.
func search(roots []string) map[string]string {
	found := map[string]string{}
	left := maxFolders
	var look func(root string)
	look = func(root string) {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be read is no repository for Git either
			}
			if e.IsDir() {
				if left--; left < 0 {
					return fs.SkipAll
				}
			}
			switch {
			case e.Name() == ".git":
				found[path] = identity(path)
				if e.IsDir() {
					look(filepath.Join(path, "modules"))
					return fs.SkipDir
				}
			case e.IsDir() && e.Name() == "objects":
				dir := filepath.Dir(path)
				if exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "refs")) {
					found[dir] = identity(dir)
					return fs.SkipDir
				}
			}
			return nil
		})
	}
	for _, root := range roots {
		look(root)
	}
	return found
}

// identity tells a repository from another one at the same path: a folder by its inode and by what may lead Git to a
// further configuration, which is not there as a rule; a file also by its last change.
func identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	sys, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return ""
	case info.IsDir():
		return fmt.Sprintln(sys.Dev, sys.Ino) + identity(filepath.Join(path, "commondir")) + identity(filepath.Join(path, "config.worktree"))
	}
	return fmt.Sprintln(sys.Dev, sys.Ino, info.Size(), info.ModTime().UnixNano())
}

// learn searches folders and returns what is new there since the last time.
func (r *repositories) learn(roots []string) []string {
	found := search(roots)
	r.mu.Lock()
	defer r.mu.Unlock()
	var fresh []string
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if r.known[path] != found[path] {
			fresh = append(fresh, path)
		}
	}
	r.known = found
	return fresh
}

// NewRepositories returns the Git repositories in the folders of a sandbox that were made since it was opened, or
// since the last call; in other places it returns nil. It waits for the disk.
func (p *Place) NewRepositories() []string {
	if p == nil || !p.spec.Sandbox {
		return nil
	}
	return p.repositories.learn(p.roots())
}

// roots are the session's folders, without links.
func (p *Place) roots() []string {
	var list []string
	for _, dir := range append([]string{p.needs.Cwd}, p.needs.Dirs...) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			list = append(list, real)
		}
	}
	return list
}
