package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/host/permission"
)

// MergeTail is how long a merge window stays open after the last sign of work (behaviour 205).
const MergeTail = 2 * time.Second

// Writes is what is known of the agent's changes of files.
type Writes struct {
	turns  *turns
	family *Family
	edits  map[string]permission.Proposal // of this turn, by path, as the user has changed them
	till   time.Time                      // the merge window is open until then, and while a turn runs
	worked time.Time                      // the agent's work, which ended, is a moment ago until then
	wanted chan struct{}                  // see Wanted
}

// Wanted returns a channel that is closed when nobody wants any more what the agent has begun to write by now and what still waits for the
// user: the turn is stopped, or the session is closed.
func (w *Writes) Wanted() <-chan struct{} {
	if w.wanted == nil {
		w.wanted = make(chan struct{})
	}
	return w.wanted
}

// drop gives up what waits.
func (w *Writes) drop() {
	if w.wanted != nil {
		close(w.wanted)
		w.wanted = nil
	}
}

// Merging reports whether changes on the disk below the session's roots are merged into buffers.
func (w *Writes) Merging(running bool) bool { return w.Writing(running) || w.turns.now != nil }

// Writing reports whether the merge window is open: changes on the disk below the session's roots count as its agent's, from when that
// has a prompt. A command that runs keeps an open window open.
func (w *Writes) Writing(running bool) bool {
	switch {
	case w.works():
		return true
	case time.Now().After(w.till):
		return false
	case running:
		w.OpenWindow()
		w.linger()
	}
	return true
}

// AtWork reports whether the agent is at work, or was until a moment ago. A Neovim that attaches opens the window for other reasons.
func (w *Writes) AtWork(running bool) bool { return w.Writing(running) && (w.works() || w.Lingers()) }

// Lingers reports whether the agent was at work until a moment ago, before the turn that runs.
func (w *Writes) Lingers() bool { return time.Now().Before(w.worked) }

// linger keeps the moment after the agent's work going.
func (w *Writes) linger() {
	if w.works() || w.Lingers() {
		w.worked = time.Now().Add(MergeTail)
	}
}

func (w *Writes) works() bool { return w.turns.now != nil && w.turns.now.sent || w.family.AtWork() }

// OpenWindow opens the merge window for a while.
func (w *Writes) OpenWindow() { w.till = time.Now().Add(MergeTail) }

// extend keeps an open merge window open for a while.
func (w *Writes) extend() {
	w.linger()
	if w.works() || time.Now().Before(w.till) {
		w.OpenWindow()
	}
}

// accept notes the user's version of a text that the agent wants to write.
func (w *Writes) accept(p permission.Proposal) {
	if w.edits == nil {
		w.edits = map[string]permission.Proposal{}
	}
	w.edits[p.Path] = p
}

// Edited returns the user's version of a text that an agent wants to write to a path, once; false if there is none.
func (w *Writes) Edited(path string) (permission.Proposal, bool) {
	p, ok := w.edits[path]
	delete(w.edits, path)
	return p, ok
}

// Unwritten keeps the user's version of a text that could not be written, for the next write in the same turn, unless there is a newer one.
func (w *Writes) Unwritten(p permission.Proposal, t *Turn) {
	if _, newer := w.edits[p.Path]; !newer && w.turns.now == t {
		w.accept(p)
	}
}
