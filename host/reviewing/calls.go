package reviewing

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Named notes the files that a tool call names, so that changes of them on the disk are known to be the session's. It runs on
// the read goroutine.
func (r *Review) Named(s feature.Session, content []acp.ToolCallContent, places []acp.ToolCallLocation, raw acp.Raw) {
	paths := input.Read(raw).Paths()
	for _, l := range places {
		paths = append(paths, l.Path)
	}

	for _, c := range content {
		if d, ok := c.(*acp.Diff); ok {
			paths = append(paths, d.Path)
		}
	}

	var all []string
	for _, path := range paths {
		all = append(all, placesOf(s, path)...)
	}
	if len(all) > 0 {
		r.history.Named(s, all)
		r.ledger.Named(s.LocalID(), all...)
		r.Look(all...)
	}
}

// placesOf returns the path that a call of a session's names and, last, where it leads by the real path of the session's folder if it is
// below that. It does not look at the disk.
func placesOf(s feature.Session, path string) []string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Cwd(), path)
	}
	path = filepath.Clean(path)
	rest, ok := strings.CutPrefix(path, filepath.Clean(s.Cwd())+"/")
	if roots := s.Roots(); ok && len(roots) > 0 {
		return []string{path, filepath.Join(roots[0], rest)}
	}
	return []string{path}
}

// Edited takes in what a call that is over has changed on the disk. Its diffs may be of parts of files, so the file is compared
// with itself without them. Loaded files are left to the merge of the disk, and those known already to the comparison with what
// they had. It does not wait.
func (r *Review) Edited(s feature.Session, call string) {
	var c *transcript.Call
	s.Do(func(st *session.State) {
		of := st.Call(call)
		if of != nil && of.Status == string(acp.ToolCallCompleted) && len(of.Diffs()) > 0 && (st.Turn() != nil || st.Family().AtWork()) {
			c = of.Clone()
		}
	})
	if c == nil {
		return
	}

	byPath := map[string][]*acp.Diff{}
	for _, d := range c.Diffs() {
		byPath[d.Path] = append(byPath[d.Path], d)
	}

	for path, diffs := range byPath {
		places := placesOf(s, path)
		at := places[len(places)-1]
		h := r.history.Heard([]feature.Session{s}, at) // the turn may be over next
		s.Spawn(func() {                               // ends when Neovim answers or goes away
			real, err := buffers.Real(path)
			if err != nil || r.ledger.Known(real) || !buffers.Inside(s.Roots(), real) {
				return
			}

			f, err := buffers.ReadReal(real, nil, nil, maxCommitted)
			if err != nil {
				return
			}

			now := review.Parse(f.Text)
			before, ok := without(f.Text, diffs)
			if real != at { // behind a link
				h = r.history.Heard([]feature.Session{s}, real)
			}
			was, known := r.was(h, real, time.Now())
			if had := review.Content(was.Text); known && !had.Equal(now) {
				before, ok = had, true // commands of the same turn may have changed it before
			}
			if ok {
				_ = r.Found(s, real, before, now, true, false) // Neovim goes
			}
		})
	}
}

// without returns a text before changes were made, and reports whether they tell that: each new text must be in it once.
func without(text string, diffs []*acp.Diff) (review.Content, bool) {
	for _, d := range slices.Backward(diffs) {
		switch {
		case d.NewText == text && (d.OldText == nil || *d.OldText == "") && len(diffs) == 1 && text != "":
			return review.Content{Missing: true}, true // some agents send "" for a file that they create
		case d.NewText == text && d.OldText != nil:
			text = *d.OldText
		case d.OldText == nil || d.NewText == "" || strings.Count(text, d.NewText) != 1:
			return review.Content{}, false
		default:
			text = strings.Replace(text, d.NewText, *d.OldText, 1)
		}
	}

	return review.Parse(text), true
}
