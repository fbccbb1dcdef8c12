package buffers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// The edits of a merge make its text, and the line at which the user types stays what it was, in the user's side of a conflict, however
// many equal lines there are and however large the conflict is (behaviour 704).
func TestMergeEdits(t *testing.T) {
	seed := seedtest.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	conflicts := 0
	for range 3000 {
		size := []int{3, 12, 60, 400}[r.IntN(4)]
		base := make([]string, size)
		for i := range base {
			base[i] = fmt.Sprint("l", r.IntN(size))
		}
		typed := r.IntN(size)
		ours := changed(r, base)
		typed = min(typed, len(ours))
		ours = slices.Insert(ours, typed, "typed")
		theirs := changed(r, base)
		if r.IntN(2) == 0 { // it has read what was typed, and writes it with other lines around
			theirs = changed(r, ours)
		}
		if r.IntN(3) == 0 { // a conflict of before
			ours = Merge(base, ours, changed(r, base)).Lines
			typed = slices.Index(ours, "typed")
		}

		m := Merge(base, ours, theirs)
		conflicts += len(m.Conflicts)
		if got := Apply(ours, m.Edits); !slices.Equal(got, m.Lines) {
			t.Fatalf("base %q\nours %q\ntheirs %q\nthe edits make %q\nthe merge %q", base, ours, theirs, got, m.Lines)
		}
		for i, e := range m.Edits {
			if i > 0 && e.Start <= m.Edits[i-1].End || e.Start == e.End && len(e.Lines) == 0 {
				t.Fatalf("edits overlap or touch, or are none: %v", m.Edits)
			}
		}
		if at, stays := moved(m.Edits, typed); stays {
			side := slices.ContainsFunc(m.Conflicts, func(c Conflict) bool { return c.Split < at && at < c.End && !in(Conflicts(ours), typed) })
			if m.Lines[at] != "typed" || side {
				t.Fatalf("base %q\nours %q\ntheirs %q\nmerged %q\nthe line %d is now %d", base, ours, theirs, m.Lines, typed, at)
			}
		} else if slices.Contains(m.Lines, "typed") && !in(Conflicts(ours), typed) && !slices.Contains(theirs, "typed") {
			t.Fatalf("base %q\nours %q\ntheirs %q\nmerged %q\nthe line %d was replaced", base, ours, theirs, m.Lines, typed)
		}
	}
	if conflicts < 500 {
		t.Errorf("only %d conflicts", conflicts)
	}
}

// changed returns lines with some changed, taken away or added.
func changed(r *rand.Rand, lines []string) []string {
	out := slices.Clone(lines)
	for range 1 + r.IntN(len(lines)/2+2) {
		i := r.IntN(len(out) + 1)
		switch r.IntN(3) {
		case 0:
			out = slices.Insert(out, i, fmt.Sprint("n", r.IntN(9)))
		case 1:
			if i < len(out) && out[i] != "typed" {
				out[i] = fmt.Sprint("c", r.IntN(9))
			}
		default:
			if i < len(out) && len(out) > 2 && out[i] != "typed" {
				out = slices.Delete(out, i, i+1)
			}
		}
	}
	return out
}

// moved returns where a line is after edits, and whether it is there.
func moved(edits []Edit, line int) (int, bool) {
	shift := 0
	for _, e := range edits {
		if line < e.Start {
			break
		}
		if line < e.End {
			return 0, false
		}
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return line + shift, true
}

func in(conflicts []Conflict, line int) bool {
	return slices.ContainsFunc(conflicts, func(c Conflict) bool { return c.Start <= line && line < c.End })
}
