package rules

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/host/input"
)

// maxGlobs is how many texts of a call are looked for, maxFound how many files that it may find are judged.
const (
	maxGlobs = 20
	maxFound = 200
)

// found is a file that a call does not name and may find, by a text.
type found struct{ path, by string }

// search returns the files that rules must name and that texts may find in some folders. problem says that there may be others.
func search(
	globs []input.Glob, folders []string, find func(g input.Glob, folders []string) (paths []string, all bool),
) (list []found, problem string) {
	if len(globs) > maxGlobs {
		return nil, "it looks for files with more texts than are read"
	}
	for _, g := range globs {
		paths, all := find(g, folders)
		if !all {
			problem = "it looks for " + g.Text + ", and there are too many files to know what that finds"
		}
		for _, path := range paths {
			if slices.ContainsFunc(list, func(f found) bool { return f.path == path }) {
				continue
			}
			if len(list) == maxFound {
				return list, "it finds more files than are judged"
			}
			list = append(list, found{path, g.Text})
		}
	}

	return list, problem
}
