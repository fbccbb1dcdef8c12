package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is known of a file goes with it when the user renames it, and what was known of a file that it replaces does not (behaviours 840,
// 846).
func TestMoved(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Open(id, nil)
		d.Begin(id, "go", time.Time{})
	}
	change := func(session, path, before, after string) {
		d.Changed([]string{session}, path, lines(before), lines(after))
	}
	at := func(session string) string {
		var out []string
		for _, e := range d.List(session) {
			out = append(out, string(e.Kind)+" "+e.Path)
		}
		return strings.Join(out, ", ")
	}
	change("a", "/1", "x y", "X y")
	change("a", "/2", "p q", "p Q")
	change("b", "/2", "p Q", "P Q")
	d.Revert("a", "/1", Pick{}, "", time.Time{})
	d.Revert("a", "/2", Pick{}, "", time.Time{})

	if !d.Moved("/1", "/2") || d.Moved("/none", "/3") {
		t.Error("which files are known")
	}
	d.Observe("/2", lines("x y"))
	d.Changed([]string{"a"}, "/1", lines("x y"), Content{Missing: true}) // it seemed so a moment before
	if got := at("a") + "|" + at("b"); got != "|" {
		t.Errorf("got %q, want nothing to review", got)
	}
	r := d.Last(false).Revert
	if r == nil || r.At() != "/2" || r.Path != "/1" {
		t.Fatalf("got %+v, want the revert in the file that was moved", r)
	}
	if c, _, to := d.Undo("a", r); to != "/2" || strings.Join(c.Lines, " ") != "X y" {
		t.Errorf("got %v in %s, want what was reverted", c, to)
	}
	if got := at("a"); got != "modified /2" {
		t.Errorf("got %q", got)
	}
	if r := d.Last(false); r != nil {
		t.Errorf("got %+v, want no revert of the file that was replaced", r)
	}
}

// A name that the user has chosen is not taken back with the agent's changes, nor by the undo of another revert.
func TestMovedAfterRename(t *testing.T) {
	d := NewDesk()
	d.Open("a", nil)
	d.Begin("a", "go", time.Time{})
	d.Renamed("a", "/old", "/agents", lines("x y"), lines("X y"))
	d.Moved("/agents", "/users")
	if _, out := d.Revert("a", "/users", Pick{}, "", time.Time{}); out.Path != "/users" {
		t.Errorf("got %+v, want the user's name to stay", out)
	}
	r := d.Last(false).Revert
	if _, _, to := d.Undo("a", r); to != "/users" {
		t.Errorf("undone in %q", to)
	}

	d.Renamed("a", "/users", "/agents2", lines("X y"), lines("X Y"))
	if _, out := d.Revert("a", "/agents2", Pick{}, "", time.Time{}); out.Path != "/users" {
		t.Errorf("got %+v, want the agent's name to go", out)
	}
	d.Moved("/users", "/last")
	r = d.Last(false).Revert
	if _, from, to := d.Undo("a", r); from != "/last" || to != "/agents2" {
		t.Errorf("undone from %q to %q", from, to)
	}
}

// What another session has changed in a file that was renamed goes with it, as the rename is reverted and as that is undone (behaviour 358).
func TestRevertedRename(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Begin(id, "go", time.Time{})
	}
	at := func() (out []string) {
		for _, e := range d.List("b") {
			out = append(out, string(e.Kind)+" "+e.Path)
		}
		return out
	}
	d.Renamed("a", "/old", "/new", lines("x y"), lines("x y"))
	d.Changed([]string{"b"}, "/new", lines("x y"), lines("X y"))
	if _, out := d.Revert("a", "/new", Pick{}, "", time.Time{}); out.Path != "/old" {
		t.Fatalf("reverted, the file is %s", out.Path)
	}
	if got := at(); !slices.Equal(got, []string{"modified /old"}) {
		t.Errorf("reverted: got %q", got)
	}
	d.Undo("a", d.Last(false).Revert)
	if got := at(); !slices.Equal(got, []string{"modified /new"}) {
		t.Errorf("undone: got %q", got)
	}
}

// What an agent renames, other sessions follow.
func TestMovedByAnother(t *testing.T) {
	d := NewDesk()
	for _, id := range []string{"a", "b"} {
		d.Open(id, nil)
		d.Begin(id, "go", time.Time{})
	}
	d.Changed([]string{"b"}, "/1", lines("x y"), lines("X y"))
	d.Renamed("a", "/1", "/2", lines("X y"), lines("X y"))
	if list := d.List("b"); len(list) != 1 || list[0].Path != "/2" || list[0].Kind != Modified || list[0].Hunks != 1 {
		t.Fatalf("got %+v, want the change in the file that was renamed", list)
	}
	if c, _ := d.Revert("b", "/2", Pick{}, "", time.Time{}); strings.Join(c.Lines, " ") != "x y" {
		t.Errorf("got %v", c.Lines)
	}
	if list := d.List("a"); len(list) != 1 || list[0].From != "/1" {
		t.Errorf("got %+v, want the rename to wait", list)
	}
}

// What is found of a file that a turn has renamed, or that has its old name again after an undo, comes perhaps only then: that the name is
// gone. Or it comes before, as if the user had renamed it. It is no deletion; that of another file which has that name since is one
// (behaviour 1403).
func TestLeftLate(t *testing.T) {
	began := time.Unix(1, 0)
	missing := Content{Missing: true}
	for i := range 4 {
		known, early := i&1 != 0, i&2 != 0
		t.Run(fmt.Sprintf("changed before: %v, found before the turn is compared: %v", known, early), func(t *testing.T) {
			d := NewDesk()
			d.Open("a", nil)
			at := func() string {
				var out []string
				for _, e := range d.List("a") {
					out = append(out, string(e.Kind)+" "+e.Path)
				}
				return strings.Join(out, ", ")
			}
			check := func(want string) {
				t.Helper()
				if got := at(); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			text := lines("x y")
			d.Begin("a", "go", time.Unix(0, 0))
			if known {
				d.Changed([]string{"a"}, "/1", text, lines("X y"))
				text = lines("X y")
			}
			d.Begin("a", "go", began)
			if early {
				d.Moved("/1", "/2")
			}
			d.Renamed("a", "/1", "/2", text, text)
			d.Changed([]string{"a"}, "/1", text, missing)
			check("renamed /2")

			d.Changed([]string{"a"}, "/1", lines("of somebody else"), missing)
			check("deleted /1, renamed /2")
			d.Keep("a", "/1", Pick{}, time.Time{})

			d.Rewrote("a", "/2", missing, []time.Time{began})
			d.Changed([]string{"a"}, "/2", text, missing)
			d.Rewrote("a", "/1", text, []time.Time{began})
			back := map[bool]string{true: "modified /1", false: ""}[known]
			check(back)

			d.Changed([]string{"a"}, "/2", lines("of somebody else"), missing)
			check(strings.TrimPrefix(back+", deleted /2", ", "))
		})
	}
}

// A command changes and moves a file that a buffer has with unsaved text: what it has changed is told, and the unsaved text is the user's,
// whether the move was found as the user's own before the turn was compared or not (behaviour 1410), and also where the agent of another
// session may have changed it.
func TestLeftUnsaved(t *testing.T) {
	for _, unsaved := range []string{"", " mine"} {
		for _, before := range []string{"", "found", "found, seen", "found, seen, shown", "at once"} {
			testLeftUnsaved(t, unsaved, before, "a")
			testLeftUnsaved(t, unsaved, before, "another", "a")
		}
	}
}

func testLeftUnsaved(t *testing.T, unsaved, before string, sessions ...string) {
	t.Helper()
	at := fmt.Sprintf("%q, %s, %s", unsaved, before, sessions)
	d := NewDesk()
	for _, id := range sessions {
		d.Open(id, nil)
		d.Begin(id, "go", time.Time{})
	}
	disk, shown := lines("x Y z"), lines("x Y z"+unsaved)
	d.Changed(sessions, "/1", lines("x y z"+unsaved), shown)
	if !strings.Contains(before, "at once") {
		d.Changed(sessions, "/1", disk, Content{Missing: true})
	}
	if strings.Contains(before, "found") {
		d.Moved("/1", "/2")
	}
	if strings.Contains(before, "seen") {
		d.Observe("/2", disk)
	}
	if strings.Contains(before, "shown") {
		d.Observe("/1", shown)
	}
	if unsaved != "" {
		d.LeftUnsaved("a", "/1", "/2", disk)
	}
	d.Renamed("a", "/1", "/2", lines("x y z"), disk)

	list := d.List("")
	if len(list) != 1 || list[0].Session != "a" || list[0].Kind != Renamed || list[0].Path != "/2" ||
		list[0].Unknown != (len(sessions) > 1) {
		t.Errorf("%s: got %+v, want one file that was renamed", at, list)
		return
	}
	if got := list[0].Counts; got.Added != 1 || got.Removed != 1 {
		t.Errorf("%s: got +%d -%d, want +1 -1", at, got.Added, got.Removed)
	}
	got, out := d.Revert("a", "/2", Pick{}, "", time.Time{})
	if out.Path != "/1" || strings.Join(got.Lines, " ") != "x y z" {
		t.Errorf("%s: got %v at %s, want the text without the turn at its name", at, got.Lines, out.Path)
	}
	if d.Observe("/1", lines("x y z"+unsaved)); len(d.List("")) > 0 {
		t.Errorf("%s: what was not saved is the agent's: %+v", at, d.List(""))
	}
}
