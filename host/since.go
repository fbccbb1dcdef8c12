package host

import (
	"context"
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// since knows which turn of each session is the first whose errors were not looked for. The zero value is ready for use. Safe for
// concurrent use.
type since struct {
	mu    sync.Mutex // guards turns
	turns map[string]*running
}

// begin notes the turn of a session that runs.
func (b *since) begin(s *Session) {
	k := s.host.history
	k.mu.Lock()
	r := k.turns[s.id]
	k.mu.Unlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turns == nil {
		b.turns = map[string]*running{}
	}
	b.turns[s.id] = r
}

func (b *since) of(s *Session) *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.turns[s.id]
}

func (b *since) forget(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.turns, s.id)
}

// brought returns errors without those in files whose errors before a turn are not known, as of most that were not open, unless what
// has changed in them seems to have brought them. Where it is not known what has changed, none are. It waits for the disk.
func (s *Session) brought(ctx context.Context, t *session.Turn, found []problems.Item) []problems.Item {
	unseen := ask(s, func(st *session.State) []string { return st.UnseenBefore(t, found) })
	if len(unseen) == 0 {
		return found
	}
	sides := s.host.history.sides(ctx, s, s.host.since.of(s), unseen)
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
	store := k.checkpoints()
	if store == nil || r == nil {
		return nil
	}
	select {
	case <-r.ready:
	case <-ctx.Done():
		return nil
	}
	changes, _, err := store.Diff(ctx, r.before, store.Take(ctx, s.roots, nil))
	if err != nil {
		return nil
	}
	sides := map[string]pair{}
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
