package review

import (
	"fmt"
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
