// Package poke wakes a goroutine that waits for something to do. Whoever has something sets state under a lock and pokes;
// the goroutine finds all of it, however many have poked.
package poke

// Chan is received from by the goroutine that is woken. It holds one poke.
type Chan chan struct{}

// New returns a channel that nobody has poked.
func New() Chan { return make(Chan, 1) }

// Poke wakes the goroutine, now or when it next waits. It never blocks.
func (c Chan) Poke() {
	select {
	case c <- struct{}{}:
	default: // it will wake up anyway
	}
}
