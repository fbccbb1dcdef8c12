package history

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// sumUp says at the end of a turn which files it has changed, and those that its calls say they have changed of which nothing is known.
func sumUp(s feature.Session, turn string, files []transcript.FileChange, known func(path string) bool) {
	announced := feature.Ask(s, func(st *session.State) []transcript.FileChange { return st.Log().Announced(turn) })
	for _, c := range announced {
		real, err := buffers.Real(paths.Absolute(c.Path, s.Cwd()))
		if err != nil || !regular.Exists(real) || slices.ContainsFunc(files, func(f transcript.FileChange) bool { return f.Path == real }) {
			continue
		}
		if !known(real) {
			c.Path = real
			files = append(files, c)
		}
	}

	s.Do(func(st *session.State) {
		st.Log().Changed(turn, files)
		st.Screen().Refresh()
	})
}

// changedFiles returns what a turn has changed: as it is stored, or with no store from the drafts.
func changedFiles(list []rewind.Change, drafts []rewind.Draft) (files []transcript.FileChange) {
	for _, c := range list {
		counted := len(list) <= renamed.MaxFiles
		files = append(files, transcript.FileChange{Path: c.Path, Added: c.Added, Removed: c.Removed, Counted: counted})
	}
	for _, d := range drafts {
		added, removed := rewind.Count(*d.Before.Content, *d.After.Content)
		files = append(files, transcript.FileChange{Path: d.Path, Added: added, Removed: removed, Counted: true})
	}
	return files
}
