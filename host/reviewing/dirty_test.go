package reviewing

import (
	"slices"
	"testing"
)

// A file that somebody looks at is not taken by another, and is taken again if it was poked meanwhile or could not be drawn.
func TestDirty(t *testing.T) {
	d := newDirty()
	want := func(step string, want ...string) {
		t.Helper()
		if got := d.take(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", step, got, want)
		}
	}
	d.poke("a")
	want("poked", "a")
	d.poke("a")
	want("poked while it is drawn")
	d.drawn("a", false)
	want("drawn", "a")
	d.drawn("a", true)
	want("it had changed", "a")
	d.drawn("a", false)
	want("nothing has happened")
	if !d.takeList() || d.takeList() {
		t.Error("the list is drawn once")
	}
}
