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

// looksLike reports whether Git takes a folder for a repository once there is something of a name in it.
func looksLike(dir, below string) bool {
	has := func(name string) bool { return below == strings.ToLower(name) || exists(filepath.Join(dir, name)) }
	return has("HEAD") && (has("objects") || has("commondir"))
}

// leads returns the repository of a folder that is a working tree.
func leads(dir string) (git string, ok bool) {
	git = filepath.Join(dir, ".git")
	if !exists(git) {
		return "", false
	}
	if text, err := regular.Read(git, 1<<16); err == nil {
		git = from(dir, strings.TrimPrefix(strings.TrimSpace(string(text)), "gitdir: "))
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

// names are what the configurations of repositories name, as it was a moment ago: a request can be for many files.
var names knownNames

// maxAge is how long that is taken for what it is.
const maxAge = time.Second

type knownNames struct {
	mu   sync.Mutex // guards all below; held while Git is asked
	list map[string][]string
	at   map[string]time.Time
}

// of returns what the configuration of a repository names, by real paths, and all that is so called, in small letters.
func (k *knownNames) of(git string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if time.Since(k.at[git]) < maxAge {
		return k.list[git]
	}
	if k.list == nil || len(k.list) > maxRepositories {
		k.list, k.at = map[string][]string{}, map[string]time.Time{}
	}
	list := named(context.Background(), git)
	if text, err := regular.Read(filepath.Join(git, "commondir"), 1<<16); err == nil { // of a further working tree
		list = append(list, named(context.Background(), from(git, strings.TrimSpace(string(text))))...)
	}
	home, _ := os.UserHomeDir()
	var small []string
	for _, path := range list {
		if path == home || path == "/" { // all would be meant
			continue
		}
		small = append(small, strings.ToLower(path))
		if real, err := buffers.Real(path); err == nil && real != path {
			small = append(small, strings.ToLower(real))
		}
	}
	k.list[git], k.at[git] = small, time.Now()
	return small
}
