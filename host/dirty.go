package host

import (
	"slices"
	"sync"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// dirty are the sessions for which a goroutine has something to do. Safe for concurrent use; nothing waits.
type dirty struct {
	wake poke.Chan // there is one

	mu   sync.Mutex // guards list
	list []*Session
}

func newDirty() dirty { return dirty{wake: poke.New()} }

// poke adds a session and wakes the goroutine.
func (d *dirty) poke(s *Session) {
	d.add(s)
	d.wake.Poke()
}

// add adds a session for the next time.
func (d *dirty) add(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Contains(d.list, s) {
		d.list = append(d.list, s)
	}
}

// take returns the sessions and leaves none, those first that have waited longest.
func (d *dirty) take() []*Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.list
	d.list = nil
	return list
}
