package host

import (
	"slices"
	"sync"
)

// dirty are the sessions for which a goroutine has something to do. Safe for concurrent use; nothing waits.
type dirty struct {
	wake chan struct{} // size 1: there is one

	mu   sync.Mutex // guards list
	list []*Session
}

func newDirty() dirty { return dirty{wake: make(chan struct{}, 1)} }

// poke adds a session and wakes the goroutine.
func (d *dirty) poke(s *Session) {
	d.add(s)
	select {
	case d.wake <- struct{}{}:
	default:
	}
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
