package host

import (
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// realRoots are the folders of a session, links resolved.
func realRoots(cwd string, dirs ...string) []string {
	var roots []string
	for _, dir := range append([]string{cwd}, dirs...) {
		real, err := buffers.Real(dir)
		if err != nil {
			real = dir
		}
		roots = append(roots, real)
	}
	return roots
}

// furtherDirs are the absolute ones of dirs, each once and without cwd.
func furtherDirs(cwd string, dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		if filepath.IsAbs(dir) && dir != filepath.Clean(cwd) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// short is a path as it is shown: relative where it is below the session's folder.
func (s *Session) short(path string) string {
	return plain.OneLine(paths.Short(path, s.cwd))
}
