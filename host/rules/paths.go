package rules

import (
	"path/filepath"
	"strings"
	"unicode"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// climbs reports whether a path goes up from a folder that it names: if that is a link it goes elsewhere than its letters say.
func climbs(path string) bool {
	parts := strings.Split(path, "/")
	down := false
	for _, part := range parts {
		if part == ".." && down {
			return true
		}
		down = down || part != ".." && part != "." && part != ""
	}
	return false
}

// expands reports whether a path is one that some agents expand, or read without its beginning or its ends: ~/x, $HOME/x, file:///x, @x.
func expands(path string) bool {
	return climbs(path) || path != strings.TrimSpace(path) || strings.ContainsFunc(path, unicode.IsControl) ||
		strings.Contains(path, "://") || strings.HasPrefix(path, "file:") || strings.Contains(path, "${") ||
		path != "" && strings.ContainsRune("~$@%\"'`\\", rune(path[0]))
}

// resolve returns the real path of a file, with links resolved as far as the path exists, also those that lead to what does not.
func resolve(cwd, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	real, err := buffers.Real(filepath.Clean(path))
	if err != nil {
		return unresolved
	}
	return real
}

// unresolved is the path of a file whose place cannot be found: no rule for files has it, but one for all.
const unresolved = "/dev/null/unknown"

// folder is the session's, as it is called and as it is.
type folder struct{ cwd, own string }

func newFolder(cwd string) folder { return folder{cwd, resolve(cwd, ".")} }

// within returns a real path relative to the session's folder, or unchanged if it is not in that.
func (f folder) within(path string) string {
	for _, base := range []string{f.cwd, f.own} {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}
