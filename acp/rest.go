package acp

import "time"

const (
	restTime  = 25 * time.Millisecond
	restAfter = 8                      // notifications in a row …
	fastWords = 40 * time.Millisecond  // … that took longer than this together: fewer than 200 a second …
	slowWords = 400 * time.Millisecond // … and less than this: more than 20
)

// rest decides when the reader waits a moment before it reads on: while notifications come one by one, as the words of a model do, it
// reads several at a time. To wake up for each of them costs more than the words. The zero value is ready to use.
type rest struct {
	came [restAfter]time.Time // of the last notifications, in a circle
	n    int                  // of them since the last other message
}

// note records a message.
func (r *rest) note(notification bool, now time.Time) {
	if !notification {
		r.n = 0
		return
	}
	r.came[r.n%restAfter] = now
	r.n++
}

// due reports whether to wait before more is read.
func (r *rest) due(now time.Time) bool {
	if r.n < restAfter {
		return false
	}
	since := now.Sub(r.came[r.n%restAfter])
	return since > fastWords && since < slowWords
}
