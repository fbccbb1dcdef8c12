package host

import (
	"context"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Bounds of the files whose text before a change is kept.
const (
	maxNotedFiles = 200
	maxNotedLines = 20_000
)

// since knows since when the errors of each session were not looked for. The zero value is ready for use. Safe for concurrent use.
type since struct {
	mu       sync.Mutex // guards sessions and what is in them
	sessions map[string]*unchecked
}

// unchecked are a session's turns since its errors were looked for.
type unchecked struct {
	roots  []string
	first  *running
	before map[string]files.Text // by path, before the first change of it through the editor
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
	b.sessions[s.id] = &unchecked{roots: s.roots, first: r, before: map[string]files.Text{}}
}

// changed notes the text of a file before an agent has changed it through the editor: that may be before there is a checkpoint. It
// does not wait.
func (b *since) changed(c files.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.sessions {
		_, known := u.before[c.Path]
		if !known && buffers.Inside(u.roots, c.Path) && len(u.before) < maxNotedFiles && len(c.Before.Lines) < maxNotedLines {
			u.before[c.Path] = c.Before
		}
	}
}

// of returns since which turn the errors of a session were not looked for, nil if that is not known, and the text of a file before it
// was changed through the editor, if that is known.
func (b *since) of(s *Session) (first *running, before func(path string) (files.Text, bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.sessions[s.id]
	if u == nil {
		return nil, func(string) (files.Text, bool) { return files.Text{}, false }
	}
	return u.first, func(path string) (files.Text, bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		t, ok := u.before[path]
		return t, ok
	}
}

func (b *since) forget(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, s.id)
}

// brought returns errors without those in files whose errors before a turn are not known, as of most that were not open, unless what
// has changed in them seems to have brought them. Where it is not known what has changed, none are. It waits for the disk.
func (s *Session) brought(ctx context.Context, t *session.Turn, found []problems.Item) []problems.Item {
	unseen := ask(s, func(st *session.State) []string { return st.UnseenBefore(t, found) })
	if len(unseen) == 0 {
		return found
	}
	first, before := s.host.since.of(s)
	sides := s.host.history.sides(ctx, s, first, unseen)
	for _, path := range unseen {
		was, known := before(path)
		if _, ok := sides[path]; ok || !known {
			continue
		}
		if now, err := rewind.Read(path); err == nil {
			sides[path] = pair{contentOf(was), now}
		}
	}
	var list []problems.Item
	for _, path := range unseen {
		var own []problems.Item
		found = slices.DeleteFunc(found, func(i problems.Item) bool {
			if i.Path == path {
				own = append(own, i)
			}
			return i.Path == path
		})
		if p, ok := sides[path]; ok {
			was, is := textOf(p.before).Lines, textOf(p.after).Lines
			var edits []problems.Edit
			for _, e := range buffers.Edits(was, is) {
				edits = append(edits, problems.Edit(e))
			}
			list = append(list, problems.Since(own, was, edits)...)
		}
	}
	return append(found, list...)
}

// sides returns those of some files that have changed on the disk since a turn began: as they were, and as they are.
func (k *history) sides(ctx context.Context, s *Session, r *running, paths []string) map[string]pair {
	sides := map[string]pair{}
	store := k.checkpoints()
	if store == nil || r == nil {
		return sides
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		return sides
	}
	changes, _, err := store.Diff(ctx, r.before, store.Take(ctx, s.roots, nil))
	if err != nil {
		return sides
	}
	for _, c := range changes {
		if !slices.Contains(paths, c.Path) || c.Old.IsLink() || c.New.IsLink() {
			continue
		}
		if data, err := store.Read(ctx, c.Old, c.New); err == nil {
			p := pair{}
			p.before.Data, p.after.Data = data[0], data[1]
			sides[c.Path] = p
		}
	}
	return sides
}
