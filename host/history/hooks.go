package history

import (
	"context"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Hooks are what others do about what is found. None may be nil.
type Hooks struct {
	// Checkpointed is called with what folders hold before a turn, or a session, changes anything in them. It does not wait.
	Checkpointed func(roots []string, c checkpoint.Checkpoint)
	// Ended is called when the checkpoint at the end of a turn is made.
	Ended func()
	// Settled is called when all that a turn has changed is known, and handed to Found and Renamed. It does not wait.
	Settled func(s feature.Session, t *session.Turn)
	// Look looks for files that the user has renamed, those of some paths at least.
	Look func(ctx context.Context, paths ...string)
	// Found has a change of a program's reviewed, in a file that no buffer has, or none had as the turn ended if it is not known; shared
	// says that a turn of another session may have made it. An error says that Neovim goes.
	Found func(s feature.Session, path string, before, after files.Text, known, shared bool) error
	// Renamed has a file reviewed that a turn has renamed and maybe changed.
	Renamed func(s feature.Session, from, to string, before, after files.Text) error
	// Rewrote is called when a file has been changed back, in its buffer and on the disk: the turns of a session that began at some times
	// are undone there. Drawn is called when what is shown of it may differ.
	Rewrote func(session, path string, now files.Text, undone []time.Time)
	Drawn   func(path string)
	// ForksAt reports whether a session's agent can go back to a point of the conversation by itself, or need not.
	ForksAt func(s feature.Session, m transcript.Moment) bool
}

// Verbs are what a user can say, by their names.
func (k *History) Verbs() map[string]any {
	return map[string]any{"turns": feature.OnSession(k.host, k.List), "rewind": feature.OnSession(k.host, k.Rewind)}
}

// review counts the lines of changes, and has those reviewed that no buffer had. It returns the files that were moved.
func (k *History) review(store *checkpoint.Store, r *Running, list []rewind.Change) (renames []rename) {
	s := r.session
	if store == nil || len(list) == 0 || len(list) > renamed.MaxFiles {
		return nil
	}

	pairs, err := k.Pairs(store, list)
	if err != nil {
		return nil // which the next rewind says
	}

	moved := renamed.Find(list, pairs)
	left := map[int]bool{} // what was renamed
	for _, from := range moved {
		left[from] = true
	}

	for i, p := range pairs {
		if from, ok := moved[i]; ok {
			saved := savedIn(k.ctx, store, r.before, list[from], pairs[from].Before)
			if k.hooks.Renamed(s, list[from].Path, list[i].Path, TextOf(saved), TextOf(p.After)) != nil {
				return renames // Neovim goes
			}
			list[i].Added = len(TextOf(p.After).Lines)
			added, removed := rewind.Count(saved, p.After)
			renames = append(renames, rename{list[from].Path, list[i].Path, from, added, removed})
			continue
		}
		if left[i] {
			list[i].Removed = len(TextOf(p.Before).Lines)
			continue
		}
		if !reviewable(p) {
			continue
		}

		list[i].Added, list[i].Removed = rewind.Count(p.Before, p.After)
		if !list[i].Program || slices.Contains(r.Kept(), list[i].Path) { // see reviewKept
			continue
		}
		if k.hooks.Found(s, list[i].Path, TextOf(p.Before), TextOf(p.After), knows(k, r, list[i].Path), false) != nil {
			return renames // Neovim goes
		}
	}

	return renames
}

// reviewShared has those changes of the disk reviewed that a turn or another beside it has made: each of them reports them.
func reviewShared(k *History, store *checkpoint.Store, r *Running, shared []rewind.Draft) {
	if store == nil || len(shared) > renamed.MaxFiles {
		return
	}
	list, err := k.stored(store, r.session, shared)
	if err != nil || len(list) == 0 {
		return
	}
	pairs, err := k.Pairs(store, list)
	if err != nil {
		return
	}
	for i, p := range pairs {
		if !reviewable(p) || slices.Contains(r.Kept(), list[i].Path) {
			continue
		}
		if k.hooks.Found(r.session, list[i].Path, TextOf(p.Before), TextOf(p.After), knows(k, r, list[i].Path), true) != nil {
			return // Neovim goes
		}
	}
}

// knows reports whether a turn has heard that a buffer has a file.
func knows(k *History, r *Running, path string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return r.Knows(path)
}

// reviewable reports whether a change is one of a text, and not too large.
func reviewable(p renamed.Pair) bool {
	return p.Before.Text() && p.After.Text() && max(len(p.Before.Data), len(p.After.Data)) <= renamed.MaxBytes
}
