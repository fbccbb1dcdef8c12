package review

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const path = "/p/a.txt"

// lines returns the content of a file of words.
func lines(words string) Content { return Content{Lines: strings.Fields(words), EOL: true} }

// changed returns the changes of a session whose turns have given a file one text after the other.
func changed(texts ...string) *Changes {
	c := NewChanges()
	for i, text := range texts[1:] {
		c.Begin("go", time.Time{})
		c.Changed(Turn(i+1), path, lines(texts[i]), lines(text))
	}
	return c
}

// show describes the hunks of a file: "row+added-removed".
func show(c *Changes) string {
	var out []string
	if f := c.File(path); f != nil {
		for _, h := range f.Hunks() {
			out = append(out, fmt.Sprintf("%d+%s-%s", h.Row, strings.Join(h.Added, ","), strings.Join(h.Removed, ",")))
		}
	}
	return strings.Join(out, " ")
}

func text(c *Changes) string { return strings.Join(c.File(path).Content().Lines, " ") }

func TestHunks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"changed line", []string{"a b c", "a B c"}, "1+B-b"},
		{"two", []string{"a b c d e", "A b c d E"}, "0+A-a 4+E-e"},
		{"added at the end", []string{"a", "a b c"}, "1+b,c-"},
		{"removed at the end", []string{"a b c", "a"}, "1+-b,c"},
		{"removed at the beginning", []string{"a b c", "c"}, "0+-a,b"},
		{"everything", []string{"a b", "x y"}, "0+x,y-a,b"},
		{"a second turn on top", []string{"a b c", "a B c", "a BB c"}, "1+BB-b"},
		{"a second turn beside", []string{"a b c d", "a B c d", "a B C d"}, "1+B,C-b,c"},
		{"taken back by itself", []string{"a b c", "a B c", "a b c"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show(changed(tt.texts...)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUsersEdits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		texts  []string
		now    string // what the user makes of it
		hunks  string
		revert string // the text after a revert of everything …
		forced string // … with lines that the user has edited
	}{
		{"beside", []string{"a b c", "a B c"}, "a u B c", "2+B-b", "a u b c", "a u b c"},
		{"below", []string{"a b c", "a B c"}, "a B u c", "1+B-b", "a b u c", "a b u c"},
		{"among added lines", []string{"a d", "a x y d"}, "a x u y d", "1+x- 3+y-", "a u d", "a u d"},
		{"in an added line", []string{"a d", "a x(y) d"}, "a x(y,z) d", "1+x(y,z)-", "a x(y,z) d", "a d"},
		{"in a changed line", []string{"a b c", "a x(y) c"}, "a x(z) c", "1+x(z)-b", "a x(z) c", "a b c"},
		{"in place of an added line", []string{"a d", "a x d"}, "a other d", "", "a other d", "a other d"},
		{"an added line is removed", []string{"a d", "a x y d"}, "a y d", "1+y-", "a d", "a d"},
		{"in two added lines that are alike", []string{"a d", "a x(y) x(z) d"}, "a x(y,u) x(z,u) d", "1+x(y,u),x(z,u)-", "a x(y,u) x(z,u) d", "a d"},
		{"undone", []string{"a b c", "a B c"}, "a b c", "", "a b c", "a b c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := changed(tt.texts...)
			c.Observe(path, lines(tt.now), byHand)
			if got := show(c); got != tt.hunks {
				t.Errorf("hunks: got %q, want %q", got, tt.hunks)
			}
			c.Revert(path, Pick{}, "", time.Time{})
			if f := c.File(path); f != nil && text(c) != tt.revert {
				t.Errorf("reverted: got %q, want %q", text(c), tt.revert)
			}
			c.Revert(path, Pick{Edited: true}, "", time.Time{})
			if f := c.File(path); f != nil && text(c) != tt.forced {
				t.Errorf("forced: got %q, want %q", text(c), tt.forced)
			}
		})
	}
}

func TestRevertOfRows(t *testing.T) {
	for _, tt := range []struct {
		now         string
		first, last int
		want        string
	}{
		{"a B C D e", 1, 1, "a b C D e"},
		{"a B C D e", 2, 3, "a B c d e"},
		{"a B C D e", 0, 0, "a B C D e"},
		{"a B C D e", 1, 3, "a b c d e"},
		{"a X e", 1, 1, "a b c d e"},
		{"a X Y Z Z e", 2, 2, "a X Z Z e"},
		{"a X Y Z Z e", 1, 2, "a b c d Z Z e"},
		{"a e", 0, 0, "a b c d e"},
		{"a e", 1, 1, "a b c d e"},
	} {
		c := changed("a b c d e", tt.now)
		c.Revert(path, Pick{Rows: true, First: tt.first, Last: tt.last, Edited: true}, "", time.Time{})
		if got := text(c); got != tt.want {
			t.Errorf("%s, rows %d to %d: got %q, want %q", tt.now, tt.first, tt.last, got, tt.want)
		}
	}
}

// A turn is reverted alone, below and above others.
func TestRevertOfTurn(t *testing.T) {
	for turn, want := range map[Turn]string{1: "a b c dd", 2: "A b c d", Unknown: "A b c dd"} {
		c := changed("a b c d", "A b c d", "A b c dd")
		c.Revert(path, Pick{Turn: turn}, "", time.Time{})
		if got := text(c); got != want {
			t.Errorf("turn %d: got %q, want %q", turn, got, want)
		}
	}
	c := changed("a", "a one", "a two")
	c.Revert(path, Pick{Turn: 2}, "", time.Time{})
	if got := text(c); got != "a one" {
		t.Errorf("got %q, want the text of the first turn", got)
	}
}

// A hunk that is not the one that was shown any more is not decided on.
func TestStale(t *testing.T) {
	c := changed("a b c", "a B c")
	h := c.File(path).Hunks()[0]
	c.Changed(1, path, lines("a B c"), lines("a BB c"))
	if out := c.Revert(path, Pick{Hunk: h.ID, Sum: h.Sum}, "", time.Time{}); !out.Stale || text(c) != "a BB c" {
		t.Errorf("got %+v and %q", out, text(c))
	}
	if out := c.Keep(path, Pick{Hunk: c.File(path).Hunks()[0].ID, Sum: h.Sum}, time.Time{}); !out.Stale || show(c) == "" {
		t.Errorf("got %+v and %q", out, show(c))
	}
}

// What an agent writes again after a revert is a new hunk, and the undo of the revert does not double it.
func TestAgain(t *testing.T) {
	c := changed("a b", "a new b")
	first := c.File(path).Hunks()[0].ID
	c.Revert(path, Pick{}, "", time.Time{})
	c.Changed(1, path, lines("a b"), lines("a new b"))
	if hunks := c.File(path).Hunks(); len(hunks) != 1 || hunks[0].ID == first {
		t.Errorf("got %+v, want a new hunk", hunks)
	}
	c.Undo(lastRevert(c, false))
	if got := text(c); got != "a new b" {
		t.Errorf("got %q", got)
	}
}

func TestFiles(t *testing.T) {
	missing := Content{Missing: true}
	t.Run("created", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, missing, lines("a b"))
		f := c.File(path)
		if f.Kind() != Created {
			t.Errorf("it is %s", f.Kind())
		}
		c.Revert(path, Pick{}, "", time.Time{})
		if !f.Content().Missing {
			t.Errorf("it has %q", f.Content().Lines)
		}
		c.Undo(lastRevert(c, false))
		if got := text(c); got != "a b" || f.Content().Missing {
			t.Errorf("got %q", got)
		}
	})
	t.Run("created, with a line of the user's", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, missing, lines("a b"))
		c.Observe(path, lines("a mine b"), byHand)
		if out := c.Revert(path, Pick{}, "", time.Time{}); !out.Stays || text(c) != "mine" {
			t.Errorf("got %+v and %q", out, text(c))
		}
	})
	t.Run("created, empty", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, missing, Content{})
		f := c.File(path)
		if got := f.counts(f.Hunks()).Hunks; got != 1 {
			t.Errorf("%d hunks", got)
		}
		if c.Revert(path, Pick{Turn: 2}, "", time.Time{}); f.Content().Missing {
			t.Error("it went with another turn")
		}
		if c.Revert(path, Pick{Turn: 1}, "", time.Time{}); !f.Content().Missing {
			t.Error("it is still there")
		}
	})
	t.Run("deleted", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, lines("a b"), missing)
		if c.File(path).Kind() != Deleted {
			t.Errorf("it is %s", c.File(path).Kind())
		}
		c.Revert(path, Pick{}, "", time.Time{})
		if got := text(c); got != "a b" || c.File(path).Content().Missing {
			t.Errorf("got %q", got)
		}
	})
	t.Run("deleted, kept", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, lines("a b"), missing)
		c.Keep(path, Pick{}, time.Time{})
		if c.Known(path) {
			t.Error("it is still known")
		}
	})
	t.Run("renamed", func(t *testing.T) {
		c := changed("a b", "a B")
		c.Renamed(1, path, "/p/b.txt", lines("a B"))
		f := c.File("/p/b.txt")
		if f == nil || f.Kind() != Renamed || f.From != path || c.Known(path) {
			t.Fatalf("got %+v", f)
		}
		c.Revert("/p/b.txt", Pick{}, "", time.Time{})
		if got := text(c); got != "a b" {
			t.Errorf("got %q under its old name", got)
		}
	})
	t.Run("renamed, its last hunk", func(t *testing.T) {
		c := changed("a b", "a B")
		c.Renamed(1, path, "/p/b.txt", lines("a B"))
		h := c.File("/p/b.txt").Hunks()[0]
		out := c.Revert("/p/b.txt", Pick{Hunk: h.ID, Sum: h.Sum}, "", time.Time{})
		if f := c.File("/p/b.txt"); out.Path != "/p/b.txt" || f == nil || f.From != path {
			t.Errorf("got %+v: the name is decided on by itself", out)
		}
	})
	t.Run("without its last end of line", func(t *testing.T) {
		c := NewChanges()
		c.Changed(1, path, lines("a b"), Content{Lines: []string{"a", "B"}})
		c.Revert(path, Pick{}, "", time.Time{})
		if f := c.File(path); text(c) != "a b" || !f.Content().EOL {
			t.Errorf("got %+v", f.Content())
		}
	})
}

func TestCommitted(t *testing.T) {
	for _, tt := range []struct{ name, text, head, left string }{
		{"all of it", "A b c d E", "A b c d E", ""},
		{"one hunk", "A b c d E", "A b c d e", "4+E-e"},
		{"none", "A b c d E", "a b c d e", "0+A-a 4+E-e"},
		{"with other lines of the user's", "A b c d E", "A b mine c d e", "4+E-e"},
		{"a removal", "b c d e", "b c d e", ""},
		{"not a removal", "b c d e", "a b c d e", "0+-a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := changed("a b c d e", tt.text)
			c.Committed(path, lines(tt.head))
			if got := show(c); got != tt.left {
				t.Errorf("got %q, want %q", got, tt.left)
			}
		})
	}
}

// Lines that are no valid UTF-8 are the same after a restart.
func TestSavedBytes(t *testing.T) {
	odd := Content{Lines: []string{"a", "\xff\xfe", "c"}, EOL: true}
	c := NewChanges()
	c.Changed(1, path, odd, lines("a c"))
	again, err := Restore(c.Unsaved())
	if err != nil {
		t.Fatal(err)
	}
	again.Revert(path, Pick{}, "", time.Time{})
	if got := again.File(path).Content(); !got.Equal(odd) {
		t.Errorf("got %q", got.Lines)
	}
}

// What is saved is what is read again; what cannot be read is left out and named.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	c := changed("a b c", "a B c")
	if err := c.Unsaved().Write(dir); err != nil {
		t.Fatal(err)
	}
	saved, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	saved["odd.json"] = []byte("{")
	again, err := Restore(saved)
	if err == nil || !strings.Contains(err.Error(), "odd.json") {
		t.Errorf("got error %v", err)
	}
	if got := show(again); got != "1+B-b" || again.Turn() != 1 {
		t.Errorf("got %q after turn %d", got, again.Turn())
	}
	again.Keep(path, Pick{}, time.Time{})
	if err := again.Unsaved().Write(dir); err != nil {
		t.Fatal(err)
	}
	if saved, err = Read(dir); err != nil || len(saved) != 1 {
		t.Errorf("%d files are left, %v", len(saved), err)
	}
}

// A file remembers a bounded number of lines that are gone.
func TestPrune(t *testing.T) {
	c := changed("a z", "a agents z")
	for i := range 3 * maxGone {
		c.Observe(path, lines(fmt.Sprintf("a agents user%d z", i)), byHand)
	}
	if got := len(c.File(path).lines); got > 2*maxGone {
		t.Errorf("%d lines", got)
	}
	if got := show(c); got != "1+agents-" {
		t.Errorf("got %q", got)
	}
}

func TestDiff(t *testing.T) {
	c := changed("a b c d e f g h i j", "a b c D e f g h i J")
	c.Revert(path, Pick{}, "", time.Time{})
	want := "@@ -2,5 +2,5 @@\n b\n c\n-d\n+D\n e\n f\n@@ -8,3 +8,3 @@\n h\n i\n-j\n+J\n"
	if got := lastRevert(c, false).Diff; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A bracket that the user types where an agent's was reverted is the user's.
func TestChance(t *testing.T) {
	c := changed("a z", "a call( } z")
	c.Revert(path, Pick{}, "", time.Time{})
	c.Observe(path, lines("a } z"), byHand)
	if got := show(c); got != "" {
		t.Errorf("got %q, want no hunk", got)
	}
}

// The user's undo of an agent's edit, and the redo of that, leave the hunk as it was.
func TestUndoAndRedo(t *testing.T) {
	c := changed("a before c", "a after c")
	c.Observe(path, lines("a before c"), byHand)
	if got := show(c); got != "" {
		t.Errorf("undone: got %q", got)
	}
	c.Observe(path, lines("a after c"), byHand)
	if got := show(c); got != "1+after-before" {
		t.Errorf("redone: got %q", got)
	}
}

// What the user has made of an agent's line, and the agent has overwritten since, comes back.
func TestOverwritten(t *testing.T) {
	c := changed("a d", "a call(y) d")
	c.Observe(path, lines("a call(mine) d"), byHand)
	c.Changed(2, path, lines("a call(mine) d"), lines("a other d"))
	c.Revert(path, Pick{}, "", time.Time{})
	if got := text(c); got != "a call(mine) d" {
		t.Errorf("got %q", got)
	}
	c.Revert(path, Pick{Edited: true}, "", time.Time{})
	if got := text(c); got != "a d" {
		t.Errorf("forced: got %q", got)
	}

	c = changed("a d", "a call(y) more d")
	c.Observe(path, lines("a call(mine) more d"), byHand)
	c.Changed(2, path, lines("a call(mine) more d"), lines("a other more d"))
	c.Revert(path, Pick{Turn: 1}, "", time.Time{})
	if got := text(c); got != "a call(mine) other d" {
		t.Errorf("by turn: got %q", got)
	}
}
