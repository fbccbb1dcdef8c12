package host

import (
	"context"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Bounds of the files whose changes are followed.
const (
	maxNotedFiles = 200
	maxNotedLines = 20_000
	maxNotedSteps = 64
)

// since knows since when the errors of each session were not looked for. The zero value is ready for use. Safe for concurrent use.
type since struct {
	mu       sync.Mutex // guards sessions and what is in them
	sessions map[string]*unchecked
}

// unchecked are a session's turns since its errors were looked for.
type unchecked struct {
	roots []string
	first *running
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
func (b *since) begin(s *Session) {
	k := s.host.history
	k.mu.Lock()
	r := k.turns[s.id]
	k.mu.Unlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions == nil {
		b.sessions = map[string]*unchecked{}
	}
	u := &unchecked{roots: s.roots, first: r, files: map[string][]step{}}
	if was := b.sessions[s.id]; was != nil {
		u.base = was.last
	}
	b.sessions[s.id] = u
}

// changed notes a change of a file through the editor, or below a buffer: that may be before there is a checkpoint. It does not wait.
func (b *since) changed(c files.Change) {
	by := sessionOf(c)
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, u := range b.sessions {
		steps := u.files[c.Path]
		bounded := len(u.files) < maxNotedFiles || steps != nil
		if !bounded || !buffers.Inside(u.roots, c.Path) || len(c.Before.Lines) >= maxNotedLines {
			continue
		}
		agent := by == nil || by.id == id
		if n := len(steps); n == maxNotedSteps { // what others did in between counts as its own
			steps[n-1].after = c.After.Lines
			continue
		}
		u.files[c.Path] = append(steps, step{c.Before.Lines, c.After.Lines, agent})
	}
}

// moved notes that the user has renamed a file.
func (b *since) moved(from, to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.sessions {
		if steps, ok := u.files[from]; ok {
			u.files[to] = steps
			delete(u.files, from)
		}
	}
}

// of returns since which turn the errors of a session were not looked for, nil if that is not known.
func (b *since) of(s *Session) *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u := b.sessions[s.id]; u != nil {
		return u.first
	}
	return nil
}

// steps returns what was done to a file through the editor since then.
func (b *since) steps(s *Session, path string) []step {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u := b.sessions[s.id]; u != nil {
		return slices.Clone(u.files[path])
	}
	return nil
}

// swap returns the checkpoint of when the errors of a session were looked for before, and keeps the one of now.
func (b *since) swap(s *Session, now checkpoint.Checkpoint) (base checkpoint.Checkpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if u := b.sessions[s.id]; u != nil {
		base, u.last = u.base, now
	}
	return base
}

func (b *since) forget(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, s.id)
}

// brought returns those errors that are the agent's: none on lines that the user has typed since the turn began, and in files whose
// errors before it are not known, as of most that were not open, only those that its changes seem to have brought. It waits for the
// disk, and for Neovim.
func (s *Session) brought(ctx context.Context, t *session.Turn, found []problems.Item, changes map[string]checkpoint.Change) []problems.Item {
	unseen := ask(s, func(st *session.State) []string { return st.WithoutBaseline(t, found) })
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
		c := s.follow(ctx, path, changes)
		switch own := byPath[path]; {
		case c == nil && !slices.Contains(unseen, path):
			list = append(list, own...)
		case c == nil: // it is not known what has changed
		case slices.Contains(unseen, path):
			list = append(list, c.Brought(own)...)
		default:
			list = append(list, c.Own(own)...)
		}
	}
	return list
}

// follow returns how a file was changed since the errors of a session were not looked for, nil if that is not known. Changes are those
// that checkpoints have found. It waits for the disk, and for Neovim.
func (s *Session) follow(ctx context.Context, path string, changes map[string]checkpoint.Change) *problems.Changed {
	steps := s.host.since.steps(s, path)
	was, is, known := s.host.history.sides(ctx, s.host.since.of(s), path, changes)
	switch {
	case len(steps) == 0 && !known:
		return nil
	case len(steps) == 0:
		steps = []step{{was, is, true}}
	case known: // what differs before the first step is of others
		steps = slices.Insert(steps, 0, step{was, was, false})
	}

	c := problems.NewChanged(len(steps[0].before))
	now := steps[0].before
	edit := func(lines []string, agent bool) {
		var edits []problems.Edit
		for _, e := range buffers.Edits(now, lines) {
			edits = append(edits, problems.Edit(e))
		}
		c.Edit(now, edits, agent)
		now = lines
	}
	for _, step := range steps {
		edit(step.before, false)
		edit(step.after, step.agent)
	}
	err := s.host.files.Look(ctx, path, func(v files.View) error {
		edit(v.Shown.Lines, false)
		return nil
	})
	if err != nil {
		return nil
	}
	return c
}

// changedSince returns by path what has changed on the disk below a session's folders since a turn began. It waits for the disk.
func (k *history) changedSince(ctx context.Context, s *Session, r *running) map[string]checkpoint.Change {
	byPath := map[string]checkpoint.Change{}
	store := k.checkpoints()
	if store == nil || r == nil {
		return byPath
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		return byPath
	}
	now := store.Take(ctx, s.roots)
	base := k.host.since.swap(s, now)
	k.mu.Lock()
	before, late := r.before, r.late
	k.mu.Unlock()
	if late && len(base.Trees) > 0 { // the agent has changed something before the turn's own was made
		before = base
	}
	changes, _, err := store.Diff(ctx, before, now)
	if err != nil {
		return byPath
	}
	for _, c := range changes {
		if !c.Old.IsLink() && !c.New.IsLink() {
			byPath[c.Path] = c
		}
	}
	return byPath
}

// byShell returns, sorted, those of some changed files that are still there and that nobody else has changed, as far as is known: the
// agent's commands may have.
func (k *history) byShell(s *Session, first *running, changes map[string]checkpoint.Change) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	turns := []*running{first, k.current(s)}
	var paths []string
	for path, c := range changes {
		others := slices.ContainsFunc(turns, func(r *running) bool { return r != nil && !r.May(path) })
		if !others && c.New != (checkpoint.Version{}) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// sides returns the lines of a file as they were when a turn began and as they are on the disk, if they are known. Where a buffer had
// unsaved text, they are its.
func (k *history) sides(ctx context.Context, r *running, path string, changes map[string]checkpoint.Change) (was, is []string, known bool) {
	store := k.checkpoints()
	if store == nil || r == nil {
		return nil, nil, false
	}
	select {
	case <-r.ready:
	default:
		return nil, nil, false
	}
	c, known := changes[path]
	for _, tree := range r.before.Trees {
		if blob := tree.Unsaved[path]; blob != "" {
			c.Old, known = checkpoint.Version{Top: tree.Top, Blob: blob}, true
		}
	}
	if !known {
		return nil, nil, false
	}
	data, err := store.Read(ctx, c.Old, c.New)
	if err != nil {
		return nil, nil, false
	}
	return textOf(rewind.Content{Data: data[0]}).Lines, textOf(rewind.Content{Data: data[1]}).Lines, true
}
