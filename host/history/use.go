package history

import "sync"

// use is whether somebody uses a journal: one at a time does. It is safe for concurrent use.
type use struct {
	mu      sync.Mutex // guards all below
	changed *sync.Cond
	taken   bool
	rewinds bool // whoever has taken it is a rewind, which takes its time
}

func newUse() *use {
	u := &use{}
	u.changed = sync.NewCond(&u.mu)
	return u
}

// take waits until nobody uses the journal, and takes it.
func (u *use) take() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for u.taken {
		u.changed.Wait()
	}
	u.taken = true
}

// rewind says that a rewind has taken the journal.
func (u *use) rewind() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.rewinds = true
	u.changed.Broadcast()
}

// takeUnlessRewind is take that waits for no rewind, also for none that begins meanwhile: it returns false then.
func (u *use) takeUnlessRewind() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	for u.taken && !u.rewinds {
		u.changed.Wait()
	}
	if u.taken {
		return false
	}
	u.taken = true
	return true
}

// leave lets the next one have the journal.
func (u *use) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.taken, u.rewinds = false, false
	u.changed.Broadcast()
}
