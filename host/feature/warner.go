package feature

import (
	"errors"
	"sync"
	"syscall"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Warner warns of what fails again and again: once for each place and cause, until it has succeeded there. The zero value has said nothing.
// It is safe for concurrent use; nothing waits.
type Warner struct {
	mu   sync.Mutex
	said map[string]string // by place, the cause; guarded by mu
}

// Warn says what has failed in a place, such as a session's folder, and why, or with a nil error notes that it has succeeded.
func (w *Warner) Warn(h Host, place, what string, err error) {
	if w.fresh(place, err) {
		h.Say("warn", what+": "+plain.Reason(err))
	}
}

// fresh reports whether something is to be said, and takes it as said.
func (w *Warner) fresh(place string, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		delete(w.said, place)
		return false
	}

	cause := err.Error()
	if number := syscall.Errno(0); errors.As(err, &number) {
		cause = number.Error() // the rest may name a temporary file
	}
	if w.said[place] == cause {
		return false
	}

	if w.said == nil {
		w.said = map[string]string{}
	}
	w.said[place] = cause
	return true
}
