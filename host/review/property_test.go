package review

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	sequences = flag.Int("sequences", 300, "number of random sequences of TestSequences")
	oneSeed   = flag.Uint64("seed", 0, "play only the sequence of this seed")
)

// check tells what is wrong with the state of the sessions.
func (w *world) check() error {
	for s, c := range w.sessions {
		if f := c.files[w.path]; f != nil && !slices.Equal(f.text(), w.text) {
			return fmt.Errorf("session %d has %q, the file %q", s, f.text(), w.text)
		}
	}
	if err := w.checkEarlier(); err != nil {
		return err
	}
	if err := w.checkKeep(); err != nil {
		return err
	}
	if err := w.checkUndo(); err != nil {
		return err
	}
	return w.checkRevert()
}

// Undo and redo lead back to earlier texts, and what waits for a decision then is the same after a restart as without one.
func (w *world) checkEarlier() error {
	var before []*File
	for _, c := range w.sessions {
		f := c.files[w.path]
		if f != nil {
			f = f.clone()
		}
		before = append(before, f)
	}
	for s, c := range w.copies() {
		for i := max(0, len(w.shown)-4); i < len(w.shown) && before[s] != nil; i++ {
			now := Content{Lines: w.shown[i], EOL: len(w.shown[i]) > 0}
			without, after := before[s].clone(), c.files[w.path].clone()
			without.Observe(now)
			after.Observe(now)
			if got, want := fmt.Sprint(after.Hunks()), fmt.Sprint(without.Hunks()); got != want {
				return fmt.Errorf("session %d: back at %q after a restart: got %s, want %s", s, w.shown[i], got, want)
			}
		}
	}
	return nil
}

// Keeping everything leaves the text as it is.
func (w *world) checkKeep() error {
	for s, c := range w.copies() {
		c.Keep(w.path, Pick{}, time.Time{})
		if f := c.files[w.path]; f != nil && (!slices.Equal(f.text(), w.text) || f.Unreviewed()) {
			return fmt.Errorf("session %d: kept %q, the file has %q: %v", s, f.text(), w.text, f.Hunks())
		}
	}
	return nil
}

// The undo of a revert gives the text before, the undo of that the text after.
func (w *world) checkUndo() error {
	for s, c := range w.copies() {
		out := c.Revert(w.path, w.pick(c), "", time.Time{})
		if out.Revert == 0 {
			continue
		}
		text := func() []string { return c.files[w.path].text() }
		after := text()
		hunks := fmt.Sprint(c.files[w.path].Hunks())
		r := lastRevert(c, false)
		c.Undo(r)
		if !slices.Equal(text(), w.text) {
			return fmt.Errorf("session %d: undone %q, the file had %q", s, text(), w.text)
		}
		c.Undo(r)
		if !slices.Equal(text(), after) || fmt.Sprint(c.files[w.path].Hunks()) != hunks {
			return fmt.Errorf("session %d: redone %q, it was %q", s, text(), after)
		}
	}
	return nil
}

// Reverting everything gives the user's text and nothing of the agents'.
func (w *world) checkRevert() error {
	text, sessions := slices.Clone(w.text), w.copies()
	for round := 0; ; round++ {
		before := text
		for s, c := range sessions {
			c.Revert(w.path, Pick{Edited: true}, "", time.Time{})
			if f := c.files[w.path]; f != nil {
				text = f.text()
			}
			for o, other := range sessions {
				if o != s {
					other.Observe(w.path, Content{Lines: text, EOL: len(text) > 0}, byAgent)
				}
			}
		}
		if slices.Equal(before, text) {
			break
		}
		if round > 10 {
			return fmt.Errorf("reverting does not end: %q", text)
		}
	}
	for l := range w.users {
		if n := count(text, l); n != 1 && w.users[l] && !w.either[l] && !w.twice(l) && !(n > 1 && len(w.again) > 0) {
			return fmt.Errorf("%q is there %d times: %q", l, n, text)
		}
	}
	for _, l := range text {
		mixed := agents(l) && strings.Contains(l, "user") // which another session takes for the user's
		if !w.users[l] && !w.either[l] && !(mixed && w.undone) && !w.twice(l) {
			return fmt.Errorf("%q is left: %q", l, text)
		}
	}
	if len(w.again) > 0 {
		return nil // lines that were at two places say nothing of the order
	}
	for _, shown := range w.shown {
		has := func(list []string) func(string) bool {
			// a line that was decided on, gone and brought back is a new one
			return func(l string) bool { return !slices.Contains(list, l) || w.undone && w.wasKept(l) }
		}
		a := slices.DeleteFunc(slices.Clone(text), has(shown))
		b := slices.DeleteFunc(slices.Clone(shown), has(text))
		if !slices.Equal(a, b) {
			return fmt.Errorf("order: %q, it was %q", a, b)
		}
	}
	return nil
}

// twice reports whether a line is, or was made of, one that was written twice.
func (w *world) twice(text string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool { return w.again[word] })
}

func count(list []string, text string) int {
	n := 0
	for _, l := range list {
		if l == text {
			n++
		}
	}
	return n
}

// Whatever the user and the agents of two sessions do: keeping everything leaves the text, reverting everything gives the user's
// and nothing of the agents', nothing that the user has written is lost, and the undo of an undo is the identity.
func TestSequences(t *testing.T) {
	first, last := uint64(1), uint64(*sequences)
	if *oneSeed != 0 {
		first, last = *oneSeed, *oneSeed
	}
	failed := 0
	for seed := first; seed <= last && failed < maxFailed; seed++ {
		if err := play(seed); err != nil {
			t.Error(err)
			failed++
		}
	}
}

// maxFailed is how many failed sequences are shown.
const maxFailed = 5

// play plays a random sequence and returns what went wrong.
func play(seed uint64) (err error) {
	w := newWorld(seed)
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("seed %d: %v\n%s\n%s", seed, problem, strings.Join(w.log, "\n"), w.lines())
		}
	}()
	for i := range 40 {
		before := slices.Clone(w.text)
		did := w.step()
		if w.names.IntN(6) == 0 {
			did += ", " + w.rename()
		}
		w.log = append(w.log, fmt.Sprintf("%s: %q -> %q", did, before, w.text))
		if i%4 < 3 {
			continue // the check takes most of the time
		}
		if err := w.check(); err != nil {
			return fmt.Errorf("seed %d: %w\n%s\n%s", seed, err, strings.Join(w.log, "\n"), w.lines())
		}
	}
	return nil
}

// lines describes the lines of the file as the sessions know them.
func (w *world) lines() string {
	var b strings.Builder
	for s, c := range w.sessions {
		if f := c.files[w.path]; f != nil {
			for _, l := range f.lines {
				fmt.Fprintf(&b, "session %d: %+v\n", s, l)
			}
		}
	}
	return b.String()
}

func (w *world) restart(s int) string {
	maps.Copy(w.saved[s], w.sessions[s].Unsaved())
	maps.DeleteFunc(w.saved[s], func(_ string, data []byte) bool { return data == nil })
	w.sessions[s] = w.read(w.saved[s])
	return fmt.Sprintf("restart %d", s)
}

func (w *world) read(s Saved) *Changes {
	c, err := Restore(s)
	if err != nil {
		panic(err)
	}
	return c
}

// copy returns the sessions as they are, to try something.
func (w *world) copies() []*Changes {
	var out []*Changes
	for s := range w.sessions {
		w.restart(s)
		out = append(out, w.read(w.saved[s]))
	}
	return out
}

// lastRevert returns the revert to undo next, or to redo; nil if there is none.
func lastRevert(c *Changes, undone bool) *Revert {
	if of := c.last(undone); of != nil {
		return of.Revert
	}
	return nil
}
