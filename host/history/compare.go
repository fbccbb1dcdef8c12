package history

import (
	"context"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// ChangedSince returns by path what has changed on the disk below a session's folders since a turn began; nil: nothing is known. It waits
// for the disk. Swap is given the checkpoint of now, and returns an earlier one, which counts where that of the turn was made late.
func (k *History) ChangedSince(
	ctx context.Context, s feature.Session, r *Running, swap func(now checkpoint.Checkpoint) (base checkpoint.Checkpoint),
) map[string]checkpoint.Change {
	byPath := map[string]checkpoint.Change{}
	store := k.Checkpoints()
	if store == nil || r == nil {
		return byPath
	}

	select {
	case <-r.ready:
	case <-ctx.Done():
		return byPath
	}

	now := store.Take(ctx, s.Roots())
	base := swap(now)
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

// ByShell returns, sorted, those of some changed files that are still there and that nobody else has changed, as far as is known: the
// agent's commands may have.
func (k *History) ByShell(s feature.Session, first *Running, changes map[string]checkpoint.Change) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	turns := []*Running{first, k.current(s)}
	var paths []string
	for path, c := range changes {
		others := slices.ContainsFunc(turns, func(r *Running) bool { return r != nil && !r.May(path) })
		if !others && c.New != (checkpoint.Version{}) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Sides returns the lines of a file as they were when a turn began and as they are on the disk, if they are known. Where a buffer had
// unsaved text, they are its.
func (k *History) Sides(ctx context.Context, r *Running, path string, changes map[string]checkpoint.Change) (was, is []string, known bool) {
	store := k.Checkpoints()
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

	return TextOf(rewind.Content{Data: data[0]}).Lines, TextOf(rewind.Content{Data: data[1]}).Lines, true
}

// RunningOf returns the turn of a session that runs, nil if none does.
func (k *History) RunningOf(s feature.Session) *Running {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turns[s.LocalID()]
}

// Beside reports whether another session was at work in the same folders while a turn ran.
func Beside(k *History, r *Running) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return r != nil && !r.Alone("")
}

// Context ends when the program begins to end.
func (k *History) Context() context.Context { return k.ctx }

// Forgotten returns what the agent of a conversation that has gone back does not know of its files: in each session that it comes from the
// first turn, or rewind, after a prompt, which is the last one that it has and whose time is known; the zero moment if it has none.
func Forgotten(k *History, s feature.Session, last transcript.Moment) (list []record.Rewind) {
	if k.Checkpoints() == nil {
		return nil
	}
	past := feature.Ask(s, func(st *session.State) []record.Past { return st.Briefing().Past() })
	for _, p := range past {
		_ = k.Journals.Of(p.Session, func(j *rewind.Journal) error { // without a journal there is nothing
			i := slices.IndexFunc(j.Entries, func(e rewind.Entry) bool {
				return e.Time.After(last.Time) && (last.Key == "" || e.Turn != last.Key)
			})
			if i >= 0 {
				list = append(list, record.Rewind{Session: p.Session, Entry: j.Entries[i].ID, Until: p.Until})
			}
			return nil
		})
	}
	return list
}
