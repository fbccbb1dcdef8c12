package acp

import "time"

const (
	restTime    = 25 * time.Millisecond
	trickleSize = 8                            // notifications in a row …
	fastest     = 40 * time.Millisecond        // … that came within more than this: fewer than 175 a second …
	slowest     = (trickleSize - 1) * restTime // … and less than this: more than 40, so that a rest is for two or more
)

// trickle decides when the reader rests before it reads on: while notifications come one by one, as the words of a model do, it reads
// several at a time. To wake up for each of them costs more than the words. The zero value is ready to use.
type trickle struct {
	came [trickleSize]time.Time // of the last notifications, in a circle
	n    int                    // of them since the last other message
}

// note records a message.
func (r *trickle) note(notification bool, now time.Time) {
	if !notification {
		r.n = 0
		return
	}
	r.came[r.n%trickleSize] = now
	r.n++
}

// rest waits before more is read, if that is better, until the connection ends.
func (r *trickle) rest(ended <-chan struct{}) {
	if r.n < trickleSize {
		return
	}
	if within := time.Since(r.came[r.n%trickleSize]); within <= fastest || within >= slowest {
		return
	}
	select {
	case <-time.After(restTime):
	case <-ended:
	}
}
