package transcript

import (
	"slices"
	"strings"
	"testing"
)

// Each line of the source is found in the rows that it is rendered to, and again when they are laid out for another width
// (behaviour 621).
func TestRenderedRowsAreFound(t *testing.T) {
	tr, screen := newAnswer(), newPaper()
	words := strings.Repeat("words that wrap ", 6)
	say(tr, "Intro\n\n| a | b |\n|--|--|\n| r1 | "+words+"|\n| r2 | "+words+"|\n| r3 | x |\n\nEnd\n")
	screen.apply(t, tr.drawing.Frame(1<<20))

	follow := func() {
		t.Helper()
		for _, op := range tr.drawing.Frame(1 << 20) {
			if !op.Again {
				screen.apply(t, []Op{op})
				continue
			}
			old := screen.blocks[op.ID]
			if len(op.Map) != op.To-op.From && op.Map != nil {
				t.Fatalf("%d places for %d lines", len(op.Map), op.To-op.From)
			}
			for i, to := range op.Map {
				for _, name := range []string{"r1", "r2", "r3"} {
					if strings.Contains(old[op.From+i], name) && !strings.Contains(op.Lines[to], name) {
						t.Errorf("%q has gone to %q", old[op.From+i], op.Lines[to])
					}
				}
			}
			screen.apply(t, []Op{op})
		}
	}
	for _, width := range []int{60, 30, 120} {
		tr.drawing.SetWidth(width)
		tr.EndTurn("end_turn", "")
		for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
			j.Do()
			tr.drawing.Done(j)
		}
		follow()
	}
	if text := screen.text(); strings.Contains(text, "|") {
		t.Errorf("not rendered:\n%s", text)
	}
}

func TestGone(t *testing.T) {
	for _, c := range []struct {
		name             string
		old, fresh, want []int
	}{
		{"the same", []int{0, 1, 2}, []int{0, 1, 2}, nil},
		{"a line is in the row before it", []int{0, 0, 2}, []int{0, 1, 2}, []int{0, 0, 2}},
		{"a fence is left out", []int{0, 1, 2, 3}, []int{1, 2}, []int{0, 0, 1, 1}},
		{"cells wrap", []int{0, 1, 2}, []int{0, 0, 1, 2, 2}, []int{0, 2, 3}},
		{"lines are joined", []int{0, 1, 2}, []int{1, 2}, []int{0, 0, 1}},
		{"a long line was broken", []int{0, 0, 1}, []int{0, 1}, []int{0, 0, 1}},
		{"nothing is left", []int{0}, nil, nil},
	} {
		if got := gone(c.old, c.fresh); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
