package history

import (
	"testing"

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
