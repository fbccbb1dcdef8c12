package review

import (
	"testing"
	"time"
)

// A line of the user's that another session takes away, and a turn brings back, is the user's still.
func TestTakenByAnother(t *testing.T) {
	c := changed("a mine d", "a mine d agents")
	c.Observe(path, lines("a d agents"), byAgent)
	c.Changed(2, path, lines("a d agents"), lines("a mine d agents more"))
	c.Revert(path, Pick{}, "", time.Time{})
	if got := text(c); got != "a mine d" {
		t.Errorf("got %q", got)
	}

	c = changed("a mine d", "a mine d agents")
	c.Observe(path, lines("a d agents"), byHand)
	c.Changed(2, path, lines("a d agents"), lines("a mine d agents"))
	c.Revert(path, Pick{}, "", time.Time{})
	if got := text(c); got != "a d" {
		t.Errorf("the user had removed it: got %q", got)
	}
}

// What another session's agent makes of a line of an agent's is not what the user has made of it: it is no change of the first one's any
// more, and a revert of that does not leave it as an edit of the user's.
func TestMadeAnotherByAnother(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Open(id, nil)
		d.Begin(id, "go", time.Time{})
	}
	d.Changed([]string{"b"}, path, lines("a line d"), lines("a another-line d"))
	d.Changed([]string{"a"}, path, lines("a another-line d"), lines("a another-lines d"))
	if list := d.List("b"); len(list) != 1 || list[0].Added != 0 || list[0].Removed != 1 {
		t.Errorf("got %+v, want only what b has removed", list)
	}
	if _, out := d.Revert("b", path, Pick{}, "", time.Time{}); out.Left != 0 || out.Hunks != 1 {
		t.Errorf("got %+v, want nothing left as the user's", out)
	}
	if list := d.List("a"); len(list) != 1 || list[0].Added != 1 || list[0].Removed != 1 {
		t.Errorf("got %+v, want a's change to wait", list)
	}
}

// Lines that the user has removed themselves are not among those that a revert has taken out (behaviour 1364).
func TestRevertOfRemoved(t *testing.T) {
	for name, pick := range map[string]Pick{"all": {}, "the turn": {Turn: 1}} {
		c := changed("a d", "a x y d")
		c.Observe(path, lines("a y d"), byHand)
		c.Revert(path, pick, "", time.Time{})
		if got := c.reverts[0].Lines; len(got) != 1 || text(c) != "a d" {
			t.Errorf("%s: got %v and %q", name, got, text(c))
		}
		if c.Undo(c.reverts[0]); text(c) != "a y d" {
			t.Errorf("%s, undone: got %q", name, text(c))
		}
	}
}
