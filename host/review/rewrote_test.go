package review

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// rewound is a file that the turns of a session change, delete and create again, with short lines that say nothing of whose they are, and of
// which the user keeps some; then turns are undone, the last one first, and some are redone.
type rewound struct {
	r     *rand.Rand
	d     *Desk
	now   Content
	turns []rewoundTurn
	log   []string

	keeps bool // the user keeps hunks now and then …
	kept  bool // … and has
}

// rewoundTurn is a turn with what the file had before and after it, and what of it waited for a decision.
type rewoundTurn struct {
	before, after       Content
	wasBefore, wasAfter string
}

func (w *rewound) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

func (w *rewound) line() string {
	return []string{"", "}", "a", "a longer line", "another longer line"}[w.r.IntN(5)]
}

// pending returns what waits for a decision.
func (w *rewound) pending() string {
	var b strings.Builder
	for _, e := range w.d.List("s") {
		fmt.Fprintf(&b, "%v %v", e.Kind, e.Counts)
	}
	for _, h := range w.d.Hunks("/p") {
		fmt.Fprintf(&b, " %d-%v+%v%v", h.Row, h.Removed, h.Added, h.Turns)
	}
	return b.String()
}

func (w *rewound) turn(n int) {
	w.d.Begin("s", "go", time.Unix(int64(10*n), 0))
	t := rewoundTurn{before: w.now, wasBefore: w.pending()}
	for i := w.r.IntN(4); i >= 0 || w.now.Equal(t.before); i-- {
		before := w.now
		switch {
		case w.r.IntN(4) == 0:
			w.now = Content{Missing: !before.Missing}
		case before.Missing:
			w.now = Content{Lines: []string{w.line()}, EOL: true}
		default:
			list := slices.Clone(before.Lines)
			i := w.r.IntN(len(list) + 1)
			w.now = Content{Lines: slices.Replace(list, i, min(i+w.r.IntN(3), len(list)), w.line()), EOL: true}
		}
		w.d.Changed([]string{"s"}, "/p", before, w.now)
		w.say("turn %d: %v", n, w.now)
		if hunks := w.d.Hunks("/p"); w.keeps && len(hunks) > 0 && w.r.IntN(4) == 0 {
			p := Pick{Hunk: hunks[w.r.IntN(len(hunks))].ID}
			w.d.sessions["s"].Keep("/p", p, time.Unix(int64(10*n+2), 0))
			w.say("keep %+v", p)
			w.kept = true
		}
	}
	t.after, t.wasAfter = w.now, w.pending()
	w.turns = append(w.turns, t)
}

// Of turns that are undone nothing waits for a decision, what waited before them does again, and so does what they have changed once
// that is redone (behaviour 1388).
func TestRewrote(t *testing.T) {
	for seed := range uint64(10000) {
		w := &rewound{r: rand.New(rand.NewPCG(seed, 7)), d: NewDesk(), now: Content{Missing: true}}
		w.keeps = seed%2 == 1
		if w.r.IntN(2) == 0 {
			w.now = Content{Lines: []string{"}", "a longer line", "}", ""}, EOL: true}
		}
		w.say("%v", w.now)
		if err := w.play(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(w.log, "\n"))
		}
	}
}

func (w *rewound) play() error {
	n := 1 + w.r.IntN(3)
	for i := range n {
		w.turn(i + 1)
	}
	var undone []time.Time
	for i := n; i > 0; i-- {
		t := w.turns[i-1]
		undone = slices.Insert(undone, 0, time.Unix(int64(10*i+1), 0))
		w.now = t.before
		w.d.Rewrote("s", "/p", w.now, undone)
		w.say("undone %d: %v", i, w.now)
		if f := w.d.sessions["s"].files["/p"]; f != nil && slices.ContainsFunc(f.turns(), func(t Turn) bool { return t >= Turn(i) }) {
			return fmt.Errorf("undone: left %s", w.pending())
		}
		if w.kept {
			continue // what has waited then is the user's, or a part of it
		}
		if got := w.pending(); got != t.wasBefore {
			return fmt.Errorf("undone: got %s, want %s", got, t.wasBefore)
		}
		if w.r.IntN(2) == 0 {
			w.d.Rewrote("s", "/p", t.after, undone[1:])
			w.say("redone %d: %v", i, t.after)
			if got := w.pending(); got != t.wasAfter {
				return fmt.Errorf("redone: got %s, want %s", got, t.wasAfter)
			}
			w.d.Rewrote("s", "/p", t.before, undone)
			if got := w.pending(); got != t.wasBefore {
				return fmt.Errorf("undone again: got %s, want %s", got, t.wasBefore)
			}
		}
	}
	return nil
}

// A file that an undone turn has renamed waits for nothing under either name (behaviour 1388).
func TestRewroteRenamed(t *testing.T) {
	d := NewDesk()
	d.Begin("s", "go", time.Unix(10, 0))
	text := Parse("one\n")
	d.Renamed("s", "/a", "/b", text, text)
	if got := d.Paths(); !slices.Equal(got, []string{"/b"}) {
		t.Fatalf("got %v", got)
	}
	undone := []time.Time{time.Unix(11, 0)}
	d.Rewrote("s", "/b", Content{Missing: true}, undone)
	d.Rewrote("s", "/a", text, undone)
	if got := d.Paths(); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

// What earlier turns have changed in a file goes with it where turns that have renamed it are undone, also several, after a restart, where
// they are redone, and where the user has renamed it since (behaviour 1403).
func TestRewroteNames(t *testing.T) {
	d := NewDesk()
	text := func(words string) Content { return Content{Lines: strings.Fields(words), EOL: true} }
	turn := func(n int64) { d.Begin("s", "go", time.Unix(10*n, 0)) }
	undone := func(turns ...int64) (at []time.Time) {
		for _, n := range turns {
			at = append(at, time.Unix(10*n+1, 0))
		}
		return at
	}
	has := func(want string) {
		t.Helper()
		var got []string
		for _, e := range d.List("") {
			turns := d.sessions[e.Session].files[e.Path].turns()
			got = append(got, fmt.Sprint(e.Session, " ", e.Path, " ", e.Kind, " ", e.Added, " ", turns))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	move := func(from, to string, now Content, turns ...int64) {
		d.Rewrote("s", from, Content{Missing: true}, undone(turns...))
		d.Rewrote("s", to, now, undone(turns...))
	}
	restart := func() {
		saved := d.sessions["s"].Unsaved()
		maps.DeleteFunc(saved, func(_ string, data []byte) bool { return data == nil })
		restored, err := Restore(saved)
		if err != nil {
			t.Fatal(err)
		}
		d.Open("s", restored)
	}
	first, third := text("first user two"), text("first user third two")

	turn(1)
	d.Changed([]string{"s"}, "/a", text("user two"), first)
	turn(2)
	d.Changed([]string{"s"}, "/a", first, Content{Missing: true})
	d.Renamed("s", "/a", "/b", first, first)
	turn(3)
	d.Renamed("s", "/b", "/c", first, third)
	has("s /c renamed 2 [1 3]")
	move("/c", "/b", first, 3)
	has("s /b renamed 1 [1 2]")
	move("/b", "/a", first, 2, 3)
	has("s /a modified 1 [1]")
	move("/a", "/c", third)
	has("s /c renamed 2 [1 3]")
	restart()
	move("/c", "/b", first, 3)
	has("s /b renamed 1 [1 2]")
	move("/b", "/a", first, 2, 3)
	has("s /a modified 1 [1]")

	turn(4)
	d.Renamed("s", "/a", "/d", first, first)
	move("/d", "/a", first, 4)
	has("s /a modified 1 [1]")
	turn(5)
	d.Renamed("s", "/a", "/e", first, first)
	d.Moved("/e", "/mine")
	move("/mine", "/a", first, 5)
	has("s /a modified 1 [1]")
	move("/a", "/mine", first)
	has("s /mine renamed 1 [1 5]")
	turn(6)
	d.Changed([]string{"s"}, "/a", Content{Missing: true}, third)
	d.Rewrote("s", "/mine", Content{Missing: true}, undone(5))
	has("s /a created 4 [6]") // it is another file
	d.Rewrote("s", "/a", Content{Missing: true}, undone(6))
	has("")

	// Of a file that was created nothing waits under a name that it does not come back to.
	turn(7)
	d.Changed([]string{"s"}, "/new", Content{Missing: true}, first)
	turn(8)
	d.Renamed("s", "/new", "/newer", first, first)
	has("s /newer created 3 [7 8]")
	move("/newer", "/new", first, 8)
	has("s /new created 3 [7]")
	move("/new", "/newer", first)
	d.Rewrote("s", "/newer", Content{Missing: true}, undone(8))
	has("")

	// What another session has changed comes back, too.
	turn(9)
	d.Begin("other", "go", time.Unix(91, 0))
	d.Changed([]string{"other"}, "/f", text("user two"), first)
	d.Renamed("s", "/f", "/g", first, third)
	has("s /g renamed 1 [9], other /g modified 1 [1]")
	move("/g", "/f", first, 9)
	has("other /f modified 1 [1]")
	d.sessions["other"].Keep("/f", Pick{}, time.Time{})

	// Who has deleted it is not who has given it its name, and what was kept under that name is final.
	turn(10)
	d.Renamed("s", "/h", "/i", first, first)
	turn(11)
	d.Changed([]string{"s"}, "/i", first, Content{Missing: true})
	turn(12)
	d.Changed([]string{"s"}, "/i", Content{Missing: true}, third)
	d.Rewrote("s", "/i", Content{Missing: true}, undone(12))
	has("s /i deleted 0 [11]")
	d.Rewrote("s", "/i", first, undone(11, 12))
	turn(13)
	fourth := text("first user two fourth")
	d.Changed([]string{"s"}, "/i", first, fourth)
	has("s /i renamed 1 [10 13]")
	c := d.sessions["s"]
	if got := c.Keep("/i", Pick{Hunk: c.files["/i"].Hunks()[0].ID}, time.Unix(140, 0)); got.Hunks != 1 || c.last(false) == nil {
		t.Fatalf("kept %+v", got)
	}
	move("/i", "/h", fourth, 10)
	if of := d.sessions["s"].last(false); of != nil {
		t.Errorf("can be undone: %+v", of)
	}
}
