package review

import (
	"fmt"
	"testing"
	"time"
)

// Whoever notes a change does not wait for the comparison of another, and what is asked afterwards knows of it. Only one who notes
// very many waits.
func TestChangedDoesNotWait(t *testing.T) {
	d := NewDesk()
	text := func(n int) Content { return Parse(fmt.Sprintf("%d\n", n)) }
	d.lock() // somebody compares
	for i := range maxPending {
		d.Changed([]string{"s"}, "/f", text(i), text(i+1))
	}
	d.mu.Unlock()
	hunks := d.Hunks("/f")
	if len(hunks) != 1 || fmt.Sprint(hunks[0].Removed, hunks[0].Added) != fmt.Sprintf("[0] [%d]", maxPending) {
		t.Errorf("%v", hunks)
	}

	for i := range maxPending + 1 {
		d.Changed([]string{"s"}, "/f", text(i+maxPending), text(i+maxPending+1))
	}
	if left := len(d.pending.take()); left != 0 {
		t.Errorf("%d changes are pending", left)
	}
}

// A change belongs to the turn in which it was made, though the next has begun before anybody has compared anything.
func TestChangedBeforeTurn(t *testing.T) {
	d := NewDesk()
	first := d.Begin("s", "one", time.Time{})
	d.Changed([]string{"s"}, "/f", Parse("a\n"), Parse("b\n"))
	d.Begin("s", "two", time.Time{})
	hunks := d.Hunks("/f")
	if len(hunks) != 1 || fmt.Sprint(hunks[0].Turns) != fmt.Sprint([]Turn{first}) {
		t.Errorf("%+v, first turn %v", hunks, first)
	}
}

// A hunk is the same one as its agent goes on writing below it, so that its marks stay and a decision finds it (behaviour 1368).
func TestHunkGrows(t *testing.T) {
	c := changed("a d", "a x d")
	before := c.File(path).Hunks()[0]
	c.Changed(1, path, lines("a x d"), lines("a x y d"))
	if got := c.File(path).Hunks(); len(got) != 1 || got[0].ID != before.ID || got[0].Sum == before.Sum {
		t.Errorf("got %+v after %+v", got, before)
	}
}
