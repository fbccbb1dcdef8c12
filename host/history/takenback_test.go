package history

import (
	"errors"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// A file that is changed back for the user is no change of a turn, whenever that has begun or ended beside it (behaviour 1160).
func TestRestoring(t *testing.T) {
	k := &History{turns: map[string]*Running{}, closing: map[string]*Running{}, ending: map[string]*ending{}, restored: map[string]int{}}
	turn := func() *Running { return &Running{Turn: rewind.NewTurn(nil)} }
	over, runs, later := turn(), turn(), turn()
	k.closing["a"], k.turns["b"], k.ending["a"] = over, runs, &ending{}

	r := k.restoring("/f")
	r.done()
	if !runs.May("/f") {
		t.Error("nothing was written, and it counts as the user's")
	}

	r = k.restoring("/f")
	r.begin()
	delete(k.closing, "a") // its checkpoint is made while the file is written
	k.mu.Lock()
	k.besideRestored(later)
	k.mu.Unlock()
	if over.May("/f") || runs.May("/f") || later.May("/f") || !k.ending["a"].stale {
		t.Errorf("over %v, runs %v, begun meanwhile %v, stale %v", over.May("/f"), runs.May("/f"), later.May("/f"), k.ending["a"].stale)
	}

	r.begin() // the file has changed, and it is planned again
	r.done()
	after := turn()
	k.mu.Lock()
	k.besideRestored(after)
	k.mu.Unlock()
	if !after.May("/f") {
		t.Error("what a later turn changes counts as the user's")
	}
}

// Nothing is known of what a file has that a buffer has read or written and that cannot be read: it is neither empty nor the turn's doing
// (behaviour 1395).
func TestHeardUnreadable(t *testing.T) {
	for _, wrote := range []bool{false, true} {
		r := &Running{Turn: rewind.NewTurn(nil)}
		text := files.Text{Lines: []string{"one"}, EOL: true}
		heard(r, files.Report{Path: "/f", Wrote: wrote}, rewind.Content{}, errors.New("too large"), text, true)
		had, known := r.Had("/f")
		if had != nil || !known || !r.Knows("/f") || r.May("/f") {
			t.Errorf("wrote %v: had %v, known %v, met %v, its doing %v", wrote, had, known, r.Knows("/f"), r.May("/f"))
		}
		if r.Meet("/f", rewind.Content{Data: []byte("two\n")}) {
			t.Errorf("wrote %v: what it has later counts as the turn's", wrote)
		}
	}
}
