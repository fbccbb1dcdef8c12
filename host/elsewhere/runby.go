package elsewhere

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// RunBy returns what runs a file by itself, or takes orders from it, "" if nothing is known to; the file is named by its real path, and
// need not be there. It waits for the disk, and for Git at most some seconds.
func RunBy(path string) string {
	if isRepository(path) || isNamed(path) {
		return "Git"
	}
	return runBy(path)
}

// isRepository reports whether a file is in a repository, leads to one, or makes one of what is there. In a working tree nothing else is.
func isRepository(path string) bool {
	switch base := filepath.Base(path); {
	case base == "HEAD", strings.EqualFold(base, "commondir"), strings.EqualFold(base, "gitdir"): // a folder becomes a repository by them
		return true
	}

	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if isGit(filepath.Base(at)) {
			return true
		}
	}

	working := false
	for dir, below := filepath.Dir(path), filepath.Base(path); ; dir, below = filepath.Dir(dir), filepath.Base(dir) {
		// A working tree may lie in a repository, as those of a bare one do.
		if !working && looksLike(dir, strings.ToLower(below)) {
			return true
		}
		if led, ok := leads(dir); ok {
			working = true
			if buffers.Inside([]string{led}, path) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// leads returns the repository of a folder that is a working tree.
func leads(dir string) (git string, ok bool) {
	git = filepath.Join(dir, ".git")
	if !regular.Exists(git) {
		return "", false
	}
	if led, ok := pathIn(git, gitDir); ok {
		git = led
	}
	if real, err := buffers.Real(git); err == nil {
		git = real
	}
	return git, true
}

// isNamed reports whether the configuration of a repository in whose working tree a file is has Git run it, or what it names.
func isNamed(path string) bool {
	small := strings.ToLower(path)
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if git, ok := leads(dir); ok {
			for _, name := range names.of(git) {
				if buffers.Inside([]string{name}, small) {
					return true
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// names caches what the configurations of repositories name, for maxAge: a request can be for many files.
var names namesCache

const maxAge = time.Second

type namesCache struct {
	mu     sync.Mutex // guards byRepo; held while Git is asked
	byRepo map[string]cachedNames
}

type cachedNames struct {
	paths []string
	at    time.Time
}

// of returns the paths that the configuration of a repository names, and their real paths, in small letters.
func (c *namesCache) of(git string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cached := c.byRepo[git]; time.Since(cached.at) < maxAge {
		return cached.paths
	}
	if c.byRepo == nil || len(c.byRepo) > maxRepositories {
		c.byRepo = map[string]cachedNames{}
	}
	small := namedBy(git)
	c.byRepo[git] = cachedNames{small, time.Now()}
	return small
}

func namedBy(git string) (small []string) {
	list, _ := named(context.Background(), git)                        // a limit is said where a sandbox opens
	if common, ok := pathIn(filepath.Join(git, "commondir"), ""); ok { // of a further working tree
		more, _ := named(context.Background(), common)
		list = append(list, more...)
	}

	home, _ := os.UserHomeDir()
	for _, path := range list {
		if path == home || path == "/" { // all would be meant
			continue
		}
		small = append(small, strings.ToLower(path))
		if real, err := buffers.Real(path); err == nil && real != path {
			small = append(small, strings.ToLower(real))
		}
	}

	return small
}
