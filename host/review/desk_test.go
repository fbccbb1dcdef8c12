package review

import (
	"slices"
	"testing"
	"time"
)

// Notes are given once; a revert that was undone before is not worth one, and one undone after is.
func TestNotes(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Time{})
	d.Changed([]string{"s"}, path, lines("a b"), lines("a B"))
	revert := func() { d.Revert("s", path, Pick{}, "no", time.Time{}) }
	undo := func() {
		last := d.Last(false)
		d.Undo(last.Session, last.Revert)
	}
	revert()
	undo()
	if got := d.Notes("s"); len(got) != 0 {
		t.Errorf("undone: got %+v", got)
	}
	revert()
	if got, open := d.Untold("s"); len(got) != 1 || !open {
		t.Errorf("for another agent: got %+v, %v", got, open)
	}
	if got := d.Notes("s"); len(got) != 1 || got[0].Reason != "no" || got[0].Undone {
		t.Errorf("reverted: got %+v", got)
	}
	if got := d.Notes("s"); len(got) != 0 {
		t.Errorf("again: got %+v", got)
	}
	undo()
	if got := d.Notes("s"); len(got) != 1 || !got[0].Undone {
		t.Errorf("undone after: got %+v", got)
	}
}

// A revert whose change the user has brought back by another way than its undo, as with the editor's, is not in effect: the agent is not
// told of it, or that it is so no more (behaviour 1117).
func TestNotesOfText(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Time{})
	before, after := lines("aaaa bbbb cccc"), lines("aaaa BBBB cccc")
	d.Changed([]string{"s"}, path, before, after)
	d.Revert("s", path, Pick{}, "", time.Time{})
	d.Observe(path, after)
	if got := d.Notes("s"); len(got) != 0 {
		t.Errorf("brought back: got %+v", got)
	}
	d.Observe(path, before)
	if got := d.Notes("s"); len(got) != 1 || got[0].Undone {
		t.Errorf("taken out again: got %+v", got)
	}
	d.Observe(path, after)
	if got, _ := d.Untold("s"); len(got) != 1 || !got[0].Undone {
		t.Errorf("brought back after that was told: got %+v", got)
	}
	d.Keep("s", path, Pick{}, time.Time{})
	if got := d.Notes("s"); len(got) != 1 || !got[0].Undone {
		t.Errorf("kept then: got %+v", got)
	}
	if got := d.Notes("s"); len(got) != 0 {
		t.Errorf("again: got %+v", got)
	}
}

func TestWhoseChange(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sessions []string
		named    string
		want     string
	}{
		{"the only one", []string{"b"}, "", "b"},
		{"the one that has named it", []string{"a", "b"}, "b", "b"},
		{"nobody", []string{"a", "b"}, "", "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := NewDesk()
			for _, id := range []string{"a", "b"} {
				d.Begin(id, "go", time.Time{})
			}
			if tt.named != "" {
				d.Named(tt.named, path)
			}
			d.Changed(tt.sessions, path, lines("a b"), lines("a B"))
			hunks := d.Hunks(path)
			if len(hunks) != 1 {
				t.Fatalf("%d hunks", len(hunks))
			}
			got := hunks[0].Session
			if hunks[0].Unknown() {
				got = "unknown"
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if others := slices.DeleteFunc([]string{"a", "b"}, func(id string) bool { return id == hunks[0].Session }); len(d.List(others[0])) > 0 {
				t.Errorf("%s has it too", others[0])
			}
		})
	}
}

// So it is where the user commits what they have brought back: the agent hears of no revert.
func TestNotesOfCommit(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Time{})
	before, after := lines("aaaa bbbb cccc"), lines("aaaa BBBB cccc")
	d.Changed([]string{"s"}, path, before, after)
	d.Revert("s", path, Pick{}, "", time.Time{})
	d.Observe(path, after)
	if n := d.Committed(path, after); n == 0 {
		t.Error("nothing is kept")
	}
	if got := d.Notes("s"); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

// What is found after the end of a turn is not the agent's again once the user has decided on it (behaviour 1218).
func TestFoundAfterDecision(t *testing.T) {
	before, after, later := lines("a b"), lines("a B"), lines("A B")
	decisions := map[string]func(*Desk){
		"kept":      func(d *Desk) { d.Keep("s", path, Pick{}, time.Now()) },
		"committed": func(d *Desk) { d.Committed(path, after) },
	}
	for name, decide := range decisions {
		d := NewDesk()
		d.Begin("s", "go", time.Time{})
		d.Changed([]string{"s"}, path, before, after)
		decide(d)
		d.Found("s", path, before, after, after, false)
		if got := d.List(""); len(got) != 0 {
			t.Errorf("%s: got %+v", name, got)
		}

		d.Changed([]string{"s"}, path, after, later)
		if got := d.List(""); len(got) != 1 || got[0].Counts.Hunks != 1 {
			t.Errorf("%s, and changed again: got %+v", name, got)
		}
	}
}

// What was known of a file before the user has kept the last of its changes says nothing of it any more, nor by
// the name that they have given it since (behaviour 1385).
func TestKeptSince(t *testing.T) {
	const path = "/p/a.txt"
	d := NewDesk()
	began := time.Now()
	d.Begin("s", "do it", began)
	d.Changed([]string{"s"}, path, Parse("one\n"), Parse("two\n"))
	if d.KeptSince(path, began) {
		t.Error("nothing was kept")
	}
	d.Keep("s", path, Pick{}, time.Now())
	if !d.KeptSince(path, began) || d.KeptSince(path, time.Now()) {
		t.Errorf("kept since the turn began: %v, since then: %v", d.KeptSince(path, began), d.KeptSince(path, time.Now()))
	}
	const other = "/p/b.txt"
	d.Moved(path, other)
	if d.KeptSince(path, began) || !d.KeptSince(other, began) {
		t.Errorf("after a rename: kept under the old name: %v, the new one: %v", d.KeptSince(path, began), d.KeptSince(other, began))
	}
	d.Moved("/p/c.txt", other)
	if d.KeptSince(other, began) {
		t.Error("another file has its name")
	}

	d.Changed([]string{"s"}, path, Parse("one\n"), Parse("two\n"))
	d.Keep("s", path, Pick{}, time.Now())
	d.Changed([]string{"s"}, path, Parse("two\n"), Parse("three\n"))
	if d.KeptSince(path, began) {
		t.Error("an agent has changed it since")
	}
}

// A file of which nothing waits any more is known to no session: others have only followed it (behaviour 1398).
func TestFollowedNoLonger(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Begin(id, "go", time.Time{})
	}
	d.Changed([]string{"a"}, "/p", Parse("one\n"), Parse("two\n"))
	if !d.Known("/p") {
		t.Fatal("it is not known")
	}
	d.Keep("a", "/p", Pick{}, time.Time{})
	if d.Known("/p") {
		t.Error("it is known")
	}
}

// What the calls of an earlier turn have named does not tell whose a change is (behaviour 1398).
func TestNamedEarlier(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Begin(id, "go", time.Time{})
	}
	d.Named("a", "/p")
	d.Begin("a", "go on", time.Time{})
	d.Changed([]string{"a", "b"}, "/p", Parse("one\n"), Parse("two\n"))
	if list := d.List(""); len(list) != 1 || !list[0].Unknown {
		t.Errorf("got %+v", list)
	}
}

// A revert of a new file in which the user has edited all that the agent has written leaves it, and says so (behaviour 1405).
func TestRevertLeavesEdited(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Time{})
	d.Changed([]string{"s"}, path, Content{Missing: true}, Content{Lines: []string{"some line"}, EOL: true})
	edited := Content{Lines: []string{"some line of mine"}, EOL: true}
	d.Observe(path, edited)
	if f, out := d.Revert("s", path, Pick{}, "", time.Time{}); out.Left != 1 || out.Hunks != 0 || out.Revert != 0 {
		t.Errorf("got %+v of %+v", out, f)
	}
	if got, _ := d.Content(path); !got.Equal(edited) || d.Last(false) != nil {
		t.Errorf("the file has %+v", got)
	}
}
