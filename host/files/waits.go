package files

import "sync"

// waits are the edits that wait until the user has left a mode in which a buffer must not be edited. Safe for concurrent use.
type waits struct {
	mu      sync.Mutex        // guards all below
	reasons map[string]string // by real path
	safe    chan struct{}     // closed when such a mode is left; another takes its place
}

func newWaits() waits { return waits{reasons: map[string]string{}, safe: make(chan struct{})} }

// set notes why the edit of a file waits, "" if it does not, and reports whether that is new.
func (w *waits) set(real, reason string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reasons[real] == reason {
		return false
	}
	if reason == "" {
		delete(w.reasons, real)
	} else {
		w.reasons[real] = reason
	}
	return true
}

// any returns a reason for which an edit waits; "" if none does.
func (w *waits) any() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, reason := range w.reasons {
		return reason
	}
	return ""
}

// next returns a channel that is closed at the next wake.
func (w *waits) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.safe
}

// wake wakes all that wait on a channel of next.
func (w *waits) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.safe)
	w.safe = make(chan struct{})
}
