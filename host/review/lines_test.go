package review

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A line of the agent's that the user moves stays one, wherever it comes and whatever else changes at once; one that is still at its place,
// or that could be anybody's, is the user's at the new place.
func TestMovedLines(t *testing.T) {
	const text = "one1 two2 agent1 agent2 three3 four4 five5"
	for _, tt := range []struct{ name, now, reverted string }{
		{"down", "one1 two2 agent2 three3 four4 agent1 five5", "one1 two2 three3 four4 five5"},
		{"up", "agent2 one1 two2 agent1 three3 four4 five5", "one1 two2 three3 four4 five5"},
		{"to the end", "one1 two2 agent1 three3 four4 five5 agent2", "one1 two2 three3 four4 five5"},
		{"both, the other way round", "agent2 agent1 one1 two2 three3 four4 five5", "one1 two2 three3 four4 five5"},
		{"below a change", "ONE1 two2 agent1 three3 FOUR4 agent2 five5", "ONE1 two2 three3 FOUR4 five5"},
		{"into a change", "one1 two2 agent1 three3 new1 agent2 new2 five5", "one1 two2 three3 new1 new2 five5"},
		{"copied", "one1 two2 agent1 agent2 three3 four4 agent1 five5", "one1 two2 three3 four4 agent1 five5"},
		{"moved and copied", "one1 two2 agent2 three3 agent1 four4 agent1 five5", "one1 two2 three3 four4 agent1 five5"},
		{"taken out", "one1 two2 agent2 three3 four4 five5", "one1 two2 three3 four4 five5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := changed("one1 two2 three3 four4 five5", text)
			c.Observe(path, lines(tt.now), byHand)
			if got := c.File(path).Content().Lines; strings.Join(got, " ") != tt.now {
				t.Fatalf("got %q", got)
			}
			c.Revert(path, Pick{}, "", time.Time{})
			if got := c.File(path).Content().Lines; strings.Join(got, " ") != tt.reverted {
				t.Errorf("reverted: got %q, want %q", strings.Join(got, " "), tt.reverted)
			}
		})
	}

	c := changed("a b c d e", "a x b c d e")
	if c.Observe(path, lines("a b c d x e"), byHand); show(c) != "" {
		t.Errorf("a short line that has moved is the agent's: %s", show(c))
	}
}

// Where one of the saved files is lost, the changes of the others are known, decided on and told as before, and a revert in the lost one
// says what it has done.
func TestLostSave(t *testing.T) {
	const other = "/p/b.txt"
	whole := func() Saved {
		c := changed("a b c", "a B c")
		c.Changed(1, other, lines("x y"), lines("X y Z"))
		c.Revert(path, Pick{}, "why", time.Time{})
		c.Revert(other, Pick{Hunk: c.File(other).Hunks()[0].ID}, "", time.Time{})
		return c.Unsaved()
	}
	for _, lost := range append([]string{""}, slices.Sorted(maps.Keys(whole()))...) {
		saved := whole()
		if lost != "" {
			saved[lost] = []byte("{")
		}
		c, err := Restore(saved)
		if (err != nil) != (lost != "") || err != nil && !strings.HasPrefix(err.Error(), lost+": ") {
			t.Errorf("%q is lost: got %v", lost, err)
		}

		d := NewDesk()
		d.Open("s", c)
		hunks, notes := 1, 2
		if lost == fileName(other) {
			hunks = 0
		}
		if lost == aboutName {
			notes = 0
		}
		if got := len(d.Hunks(other)); got != hunks {
			t.Errorf("%q is lost: %d hunks, want %d", lost, got, hunks)
		}
		if untold, _ := d.Untold("s"); len(untold) != notes || len(d.RevertsSince("s", time.Time{}.Add(-1), time.Time{}.Add(1))) != notes {
			t.Errorf("%q is lost: told %+v, want %d", lost, untold, notes)
		}
		if told := d.Notes("s"); len(told) != notes || len(d.Notes("s")) != 0 || notes > 0 && (told[0].Path != path || told[0].Reason != "why") {
			t.Errorf("%q is lost: told %+v, want %d, and nothing again", lost, told, notes)
		}
		if r := d.Last(false); (r != nil) != (notes > 0) {
			t.Errorf("%q is lost: the last decision is %+v", lost, r)
		}
		d.Observe(path, lines("a b c"))
		d.Observe(other, lines("x y Z"))
		if d.Keep("s", other, Pick{}, time.Time{}); len(d.Hunks(other)) != 0 {
			t.Errorf("%q is lost: the other's change is not kept", lost)
		}
	}
}

// A file has in the review the lines that it has, also where many are the same (behaviour 1391).
func TestSameLines(t *testing.T) {
	words := []string{"", "}", "a", "a longer line", "another longer line"}
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := func() Content {
			c := Content{EOL: true}
			for range 1 + r.IntN(6) {
				c.Lines = append(c.Lines, words[r.IntN(len(words))])
			}
			return c
		}
		was := text()
		f := newFile("/p", was)
		for range 5 {
			now := text()
			if turn := Turn(r.IntN(3)); turn != user {
				f.agent(was, now, turn)
			} else {
				f.observe(now, source(r.IntN(3)))
			}
			if got := f.text(); !slices.Equal(got, now.Lines) {
				t.Fatalf("seed %d: got %q, want %q, it was %q", seed, got, now.Lines, was.Lines)
			}
			was = now
		}
	}
}
