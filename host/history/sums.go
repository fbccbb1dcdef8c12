package history

import (
	"context"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
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

// changedFiles returns what a turn has changed: as it is stored, or with no store from the drafts. A file that was moved is one.
func changedFiles(list []rewind.Change, renames []rename, drafts []rewind.Draft) (files []transcript.FileChange) {
	for i, c := range list {
		f := transcript.FileChange{Path: c.Path, Added: c.Added, Removed: c.Removed, Counted: len(list) <= renamed.MaxFiles}
		left := false
		for _, m := range renames {
			if m.to == c.Path {
				f.Added, f.Removed = m.added, m.removed
			}
			left = left || m.from == c.Path && i <= m.gone
		}
		if !left {
			files = append(files, f)
		}
	}
	for _, d := range drafts {
		added, removed := rewind.Count(*d.Before.Content, *d.After.Content)
		files = append(files, transcript.FileChange{Path: d.Path, Added: added, Removed: removed, Counted: true})
	}
	return files
}

// rename is a file that a turn has moved, and by how many lines it has changed it.
type rename struct {
	from, to       string
	gone           int // index of the change that it was gone with
	added, removed int
}

// savedIn returns what a checkpoint has of a file that is gone now, as it was on the disk; what a buffer showed where that is not known.
func savedIn(ctx context.Context, s *checkpoint.Store, at checkpoint.Checkpoint, c rewind.Change, shown rewind.Content) rewind.Content {
	v, known, err := s.Version(ctx, at, c.Path)
	if err != nil || !known || v.Blob == "" || v.Blob == c.Before.Blob {
		return shown
	}
	data, err := s.Read(ctx, v)
	if err != nil {
		return shown
	}
	if saved := (rewind.Content{Data: data[0]}); saved.Text() {
		return saved
	}
	return shown
}
