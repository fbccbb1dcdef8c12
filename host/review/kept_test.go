package review

import (
	"strings"
	"testing"
	"time"
)

// What was kept comes back, in the order of decisions and with what the user has typed since, until the agent changes the file again
// (behaviour 903).
func TestUndoKept(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Time{})
	d.Changed([]string{"s"}, path, lines("a b c d e"), lines("A b c d E"))
	hunks := func() int { return len(d.Hunks(path)) }
	undo := func(redo bool, now Content) {
		t.Helper()
		of := d.Last(redo)
		switch {
		case of == nil:
			t.Fatal("there is nothing to undo")
		case of.Revert != nil:
			d.Undo(of.Session, of.Revert)
		default:
			d.Unkeep(of, now)
		}
	}
	want := func(n int, after string) {
		t.Helper()
		if hunks() != n {
			t.Fatalf("%s: %d hunks, want %d", after, hunks(), n)
		}
	}
	at := func(second int64) time.Time { return time.Unix(second, 0) }

	d.Keep("s", path, Pick{Hunk: d.Hunks(path)[0].ID}, at(1))
	want(1, "keep")
	now, _ := d.Revert("s", path, Pick{}, "", at(2))
	want(0, "revert")
	undo(false, now)
	want(1, "undo of the revert")
	undo(false, lines("A b typed c d E"))
	want(2, "undo of the keep")
	if base, _ := d.Base("s", path); strings.Join(base.Lines, " ") != "a b typed c d e" {
		t.Errorf("without the agent: %q", strings.Join(base.Lines, " "))
	}
	undo(true, lines("A b typed c d E"))
	want(1, "redo of the keep")
	if base, _ := d.Base("s", path); strings.Join(base.Lines, " ") != "A b typed c d e" {
		t.Errorf("without the agent: %q", strings.Join(base.Lines, " "))
	}

	d.Keep("s", path, Pick{}, at(3))
	want(0, "keep all")
	undo(false, lines("A b typed c d E"))
	want(1, "undo of that: the file was forgotten meanwhile")
	d.Changed([]string{"s"}, path, lines("A b typed c d E"), lines("A B typed c d E"))
	if of := d.Last(false); of != nil && of.Revert == nil {
		t.Error("a decision can be undone although the agent has changed the file since")
	}
}
