package diagnostics

import (
	"context"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Bounds of the files whose changes are followed.
const (
	maxNotedFiles = 200
	maxNotedLines = 20_000
	maxNotedSteps = 64
)

// since knows since when the errors of each session were not looked for. The zero value is ready for use. Safe for concurrent use.
type tracker struct {
	mu       sync.Mutex // guards sessions and what is in them
	sessions map[string]*unchecked
}

// unchecked are a session's turns since its errors were looked for.
type unchecked struct {
	roots []string
	first *history.Running
	base  checkpoint.Checkpoint // of when errors were last looked for
	last  checkpoint.Checkpoint // the same, once they are looked for again
	files map[string][]step     // by path, what was done to it through the editor, in order
}

// step is a change of a file.
type step struct {
	before, after []string // lines
	agent         bool     // of the session's agent; else of another one
}

// begin notes the turn of a session that runs.
func (e *tracker) begin(s feature.Session, running *history.Running) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions == nil {
		e.sessions = map[string]*unchecked{}
	}
	u := &unchecked{roots: s.Roots(), first: running, files: map[string][]step{}}
	if was := e.sessions[s.LocalID()]; was != nil {
		u.base = was.last
	}
	e.sessions[s.LocalID()] = u
}

// changed notes a change of a file through the editor, or below a buffer: that may be before there is a checkpoint. It does not wait.
func (e *tracker) changed(by feature.Session, c files.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for id, u := range e.sessions {
		steps := u.files[c.Path]
		bounded := len(u.files) < maxNotedFiles || steps != nil
		if !bounded || !buffers.Inside(u.roots, c.Path) || len(c.Before.Lines) >= maxNotedLines {
			continue
		}
		agent := by == nil || by.LocalID() == id
		if n := len(steps); n == maxNotedSteps { // what others did in between counts as its own
			steps[n-1].after = c.After.Lines
			continue
		}
		u.files[c.Path] = append(steps, step{c.Before.Lines, c.After.Lines, agent})
	}
}

// moved notes that the user has renamed a file.
func (e *tracker) moved(from, to string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.sessions {
		if steps, ok := u.files[from]; ok {
			u.files[to] = steps
			delete(u.files, from)
		}
	}
}

// of returns since which turn the errors of a session were not looked for, nil if that is not known.
func (e *tracker) of(s feature.Session) *history.Running {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := e.sessions[s.LocalID()]; u != nil {
		return u.first
	}
	return nil
}

// steps returns what was done to a file through the editor since then.
func (e *tracker) steps(s feature.Session, path string) []step {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := e.sessions[s.LocalID()]; u != nil {
		return slices.Clone(u.files[path])
	}
	return nil
}

// swap returns the checkpoint of when the errors of a session were looked for before, and keeps the one of now.
func (e *tracker) swap(s feature.Session, now checkpoint.Checkpoint) (base checkpoint.Checkpoint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if u := e.sessions[s.LocalID()]; u != nil {
		base, u.last = u.base, now
	}
	return base
}

func (e *tracker) forget(s feature.Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, s.LocalID())
}

// brought returns those errors that are the agent's: none on lines that the user has typed since the turn began, and in files whose
// errors before it are not known, as of most that were not open, only those that its changes seem to have brought. It waits for the
// disk, and for Neovim.
func (c *Checks) brought(
	ctx context.Context, s feature.Session, t *session.Turn, found []problems.Item, changes map[string]checkpoint.Change,
) []problems.Item {
	unseen := feature.Ask(s, func(st *session.State) []string { return st.Checks().WithoutBaseline(t, found) })
	byPath := map[string][]problems.Item{}
	var paths []string
	for _, i := range found {
		if byPath[i.Path] == nil {
			paths = append(paths, i.Path)
		}
		byPath[i.Path] = append(byPath[i.Path], i)
	}

	var list []problems.Item
	for _, path := range paths {
		changed := c.follow(ctx, s, path, changes)
		switch own := byPath[path]; {
		case changed == nil && !slices.Contains(unseen, path):
			list = append(list, own...)
		case changed == nil: // it is not known what has changed
		case slices.Contains(unseen, path):
			list = append(list, changed.Brought(own)...)
		default:
			list = append(list, changed.Own(own)...)
		}
	}

	return list
}

// follow returns how a file was changed since the errors of a session were not looked for, nil if that is not known. Changes are those
// that checkpoints have found. It waits for the disk, and for Neovim.
func (c *Checks) follow(ctx context.Context, s feature.Session, path string, changes map[string]checkpoint.Change) *problems.Changed {
	steps := c.edits.steps(s, path)
	was, is, known := c.history.Sides(ctx, c.edits.of(s), path, changes)
	switch {
	case len(steps) == 0 && !known:
		return nil
	case len(steps) == 0:
		steps = []step{{was, is, true}}
	case known: // what differs before the first step is of others
		steps = slices.Insert(steps, 0, step{was, was, false})
	}

	changed := problems.NewChanged(len(steps[0].before))
	now := steps[0].before
	edit := func(lines []string, agent bool) {
		var edits []problems.Edit
		for _, e := range buffers.Edits(now, lines) {
			edits = append(edits, problems.Edit(e))
		}
		changed.Edit(now, edits, agent)
		now = lines
	}

	for _, step := range steps {
		edit(step.before, false)
		edit(step.after, step.agent)
	}

	err := c.files.Look(ctx, path, func(v files.View) error {
		edit(v.Shown.Lines, false)
		return nil
	})
	if err != nil {
		return nil
	}

	return changed
}
