package reviewing

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/session"
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
	if first, _ := d.takeList(); !first {
		t.Error("the list is not drawn")
	}
	if again, _ := d.takeList(); again {
		t.Error("the list is drawn twice")
	}
}

// A turn is settled when all files have been looked at that were to be when it was over: those that are poked once more meanwhile
// again, and no others.
func TestSettling(t *testing.T) {
	d := newDirty()
	one, two := &session.Turn{}, &session.Turn{}
	settled := func(step string, want ...*session.Turn) {
		t.Helper()
		_, turns := d.takeList()
		var got []*session.Turn
		for _, s := range turns {
			got = append(got, s.turn)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %p, want %p", step, got, want)
		}
	}

	d.poke("drawing")
	d.take()
	d.poke("drawing", "waiting")
	d.settle(settling{turn: one})
	d.poke("later")
	settled("over")
	d.drawn("drawing", false)
	settled("one is drawn as it was before")
	d.take()
	d.drawn("waiting", true)
	settled("one has changed meanwhile")
	d.take()
	d.drawn("waiting", false)
	settled("one is left")
	d.drawn("drawing", false)
	settled("all are drawn", one)
	settled("it is said once")
	d.drawn("later", false)
	d.settle(settling{turn: two})
	settled("nothing to look at", two)
}
