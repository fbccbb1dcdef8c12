package elsewhere

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/private"
)

// shared are the folders, without links, in which programs outside have their sockets: whoever sees a socket can connect to it, also
// where it is read-only. Among them are Neovim's own and those of detached hosts.
func shared() []string {
	var list []string
	for _, dir := range []string{"/tmp", "/var/tmp", "/run", os.TempDir(), os.Getenv("XDG_RUNTIME_DIR"), private.Root()} {
		real, err := buffers.Real(dir)
		if err == nil && real != "/" && isDir(real) && !slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	return list
}

// checkFolders returns an error if a folder of the session is one that a sandbox must hide.
func (p *Place) checkFolders() error {
	dirs := shared()
	for _, name := range append([]string{p.needs.Cwd}, p.needs.Dirs...) {
		if real, err := buffers.Real(name); err == nil && slices.Contains(dirs, real) {
			return fmt.Errorf("%s has sockets of other programs, which a sandbox is to hide: open Neovim in a folder of its own", name)
		}
	}
	return nil
}

// deepest returns the length of the longest path in a list that is a name or a folder around it, 0 if there is none.
func deepest(list []string, name string) int {
	most := 0
	for _, dir := range list {
		if buffers.Inside([]string{dir}, name) {
			most = max(most, len(dir))
		}
	}
	return most
}

// ways returns the folders and sockets that lead out of a sandbox which hides some folders and then shows others, by their paths;
// some sockets are known.
func ways(hidden []string, shown map[string]Access, sockets []string) []string {
	var list []string
	add := func(name string) {
		if _, own := shown[name]; own || slices.Contains(list, name) {
			return
		}
		covered := !buffers.Inside(hidden, name)
		for dir := range shown {
			covered = covered || buffers.Inside([]string{dir}, name)
		}
		if covered {
			list = append(list, name)
		}
	}
	for _, dir := range shared() {
		add(dir)
		if _, own := shown[dir]; own { // it is configured: what is known there is hidden all the same
			entries, _ := os.ReadDir(dir) // what cannot be read has nothing that is found
			for _, e := range entries {
				if strings.HasPrefix(e.Name(), "nvim") {
					add(filepath.Join(dir, e.Name()))
				}
			}
		}
	}

	dirs := slices.Collect(maps.Keys(shown))
	for _, l := range listening(dirs) {
		sockets = append(sockets, l.path)
	}

	for _, name := range sockets {
		if deepest(list, name) <= deepest(dirs, name) {
			add(name)
		}
	}

	return list
}
