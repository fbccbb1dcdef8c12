package review

import (
	"testing"
	"time"
)

// A line of the user's that another session takes away, and a turn brings back, is the user's still.
func TestTakenByAnother(t *testing.T) {
	c := changed("a mine d", "a mine d agents")
	c.Observe(path, lines("a d agents"), true)
	c.Changed(2, path, lines("a d agents"), lines("a mine d agents more"))
	c.Revert(path, Pick{}, "", time.Time{})
	if got := text(c); got != "a mine d" {
		t.Errorf("got %q", got)
	}

	c = changed("a mine d", "a mine d agents")
	c.Observe(path, lines("a d agents"), false)
	c.Changed(2, path, lines("a d agents"), lines("a mine d agents"))
	c.Revert(path, Pick{}, "", time.Time{})
	if got := text(c); got != "a d" {
		t.Errorf("the user had removed it: got %q", got)
	}
}
