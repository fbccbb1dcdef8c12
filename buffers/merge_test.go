package buffers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	const conflict = "<<<<<<< yours %s ======= %s >>>>>>> agent"
	mark := func(yours, agent string) string {
		return strings.Join(strings.Fields(fmt.Sprintf(conflict, yours, agent)), " ")
	}
	for _, tt := range []struct{ name, base, ours, theirs, want string }{
		{"nothing changed", "a b c", "a b c", "a b c", "a b c"},
		{"only ours", "a b c", "a x c", "a b c", "a x c"},
		{"only theirs", "a b c", "a b c", "a x c", "a x c"},
		{"behaviour 37: both survive", "a b c d e", "new a b c d e", "a b c x e", "new a b c x e"},
		{"both made the same change", "a b c", "a x c", "a x c", "a x c"},
		{"both made the same insertion", "a c", "a b c", "a b c", "a b c"},
		{"both deleted the same", "a b c", "a c", "a c", "a c"},
		{"behaviour 38: ours has a part of theirs", "a z", "a p z", "a p q z", "a p q z"},
		{"behaviour 38: of a change", "a b z", "a p z", "a p q z", "a p q z"},
		{"theirs has a part of ours", "a z", "a p q z", "a p z", "a p q z"},
		{"behaviour 39: the same line", "a b c", "a x c", "a y c", "a " + mark("x", "y") + " c"},
		{"behaviour 139: both on disk already", "a b c", "a x c", "a x c", "a x c"},
		{"two insertions at one place", "a b", "a x b", "a y b", "a " + mark("x", "y") + " b"},
		{"only the differing lines are marked", "a b", "a p x b", "a p y b", "a p " + mark("x", "y") + " b"},
		{"delete against change", "a b c", "a c", "a x c", "a " + mark("", "x") + " c"},
		{"change against delete", "a b c", "a x c", "a c", "a " + mark("x", "") + " c"},
		{"neighbouring lines", "a b c d", "a x c d", "a b y d", "a x y d"},
		{"insertion above a changed line", "a b c", "a new b c", "a x c", "a new x c"},
		{"insertion below a changed line", "a b c", "a b new c", "a x c", "a x new c"},
		{"insertion above a deleted line", "a b c", "a new b c", "a c", "a new c"},
		{"insertion above a line that grew", "a b c", "a new b c", "a x y c", "a " + mark("new b", "x y") + " c"},
		{"insertion inside a change", "a b c d", "a b new c d", "a x y d", "a " + mark("b new c", "x y") + " d"},
		{"deletions that overlap", "a b c d e", "a d e", "a b e", "a e"},
		{"all deleted against one change", "a b c", "", "a x c", mark("", "a x c")},
		{"behaviour 1372: theirs goes on beside what both changed", "a b c d", "a x c d", "a x y d", "a x y d"},
		{"behaviour 1372: ours goes on beside what both changed", "a b c d", "a x y d", "a x c d", "a x y d"},
		{"behaviour 1372: on both sides of it", "a b c d", "a x c d", "w x y d", "w x y d"},
		{"behaviour 1372: what both made of a line grew", "a b c d", "a x1 x2 c d", "a x1 x2 y d", "a x1 x2 y d"},
		{"what both changed beside a deletion against a change", "a b c d", "a x d", "a x y d", "a x " + mark("", "y") + " d"},
		{"from nothing", "", "a", "b", mark("a", "b")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Merge(strings.Fields(tt.base), strings.Fields(tt.ours), strings.Fields(tt.theirs))
			// The markers have a space of their own.
			if got := strings.Join(m.Lines, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got, want := len(m.Conflicts), strings.Count(tt.want, lineSplit); got != want {
				t.Errorf("got %d conflicts, want %d", got, want)
			}
		})
	}
}

// A merge into a conflict removes its old agent side first, so that conflicts are never nested (behaviour 207).
func TestMergeIntoConflict(t *testing.T) {
	first := Merge(chars("abc"), chars("axc"), chars("ayc"))
	for _, tt := range []struct{ name, base, theirs, want string }{
		{"the agent changes its line again", "ayc", "azc", "a<x=z>c"},
		{"the agent makes more of it", "ayc", "apqrc", "a<x=pqr>c"},
		{"the agent takes its line away", "ayc", "ac", "a<x=>c"},
		{"the agent takes the user's line", "ayc", "axc", "axc"},
		{"the agent changes another line", "ayc", "ayd", "a<x=y>d"},
		{"the agent leaves all as it is", "ayc", "ayc", "a<x=y>c"},
		{"the agent has read the markers and leaves them", "a<x=y>c", "a<x=y>d", "a<x=y>d"},
		{"the agent resolves what it read", "a<x=y>c", "azc", "azc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Merge(unshort(tt.base), first.Lines, unshort(tt.theirs))
			if got := short(m.Lines); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("both change what both have marked", func(t *testing.T) {
		m := Merge(unshort("a<x=y>c"), unshort("a<w=y>c"), unshort("azc"))
		if got, want := short(m.Lines), "a<w=z>c"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

var shorts = []string{lineYours, "<", lineSplit, "=", lineAgent, ">"}

func short(lines []string) string {
	return strings.NewReplacer(shorts...).Replace(strings.Join(lines, ""))
}

func unshort(s string) []string {
	lines := chars(s)
	for i, l := range lines {
		if at := slices.Index(shorts, l); at >= 0 {
			lines[i] = shorts[at-1]
		}
	}
	return lines
}

func TestUnmark(t *testing.T) {
	for _, tt := range []struct{ name, text, yours, agent string }{
		{"none", "abc", "abc", "abc"},
		{"one", "a<x=y>c", "axc", "ayc"},
		{"two, with empty sides", "<x=>a<=y>", "xa", "ay"},
		{"not whole", "a<x=b", "a<x=b", "a<x=b"},
		{"out of order", "=a>b<c", "=a>b<c", "=a>b<c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := short(Unmark(unshort(tt.text))); got != tt.yours {
				t.Errorf("user's side: got %q, want %q", got, tt.yours)
			}
			if got := short(agentSides(unshort(tt.text))); got != tt.agent {
				t.Errorf("agent's side: got %q, want %q", got, tt.agent)
			}
		})
	}
}

// edited is what one side makes of a base whose lines are all different.
type edited struct {
	lines   []string
	changed map[int]bool // lines of the base that are not as they were
	added   []string
}

// randomEdit changes, deletes and inserts a few lines; every new line is unlike any other.
func randomEdit(r *rand.Rand, base []string, name string) edited {
	e := edited{changed: map[int]bool{}}
	add := func() {
		l := fmt.Sprintf("%s%d", name, len(e.added))
		e.added = append(e.added, l)
		e.lines = append(e.lines, l)
	}
	for i := 0; i <= len(base); i++ {
		if r.IntN(12) == 0 {
			add()
		}
		if i == len(base) {
			break
		}
		switch r.IntN(12) {
		case 0:
			e.changed[i] = true
			add()
		case 1:
			e.changed[i] = true
		default:
			e.lines = append(e.lines, base[i])
		}
	}
	return e
}

// overlap reports whether two lists of hunks change a line differently, or insert differently at one place.
func overlap(ours, theirs []Edit) bool {
	for _, a := range ours {
		for _, b := range theirs {
			meet := a.Start < b.End && b.Start < a.End || a.Start == a.End && b.Start == b.End && a.Start == b.Start
			if meet && len(a.Lines)+len(b.Lines) > 0 {
				return true
			}
		}
	}
	return false
}

// A merge keeps each side's changes and marks every overlap (behaviour 130).
func TestMergeProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		base := make([]string, r.IntN(20))
		for i := range base {
			base[i] = fmt.Sprintf("base%d", i)
		}
		ours, theirs := randomEdit(r, base, "ours"), randomEdit(r, base, "theirs")
		m := Merge(base, ours.lines, theirs.lines)
		if err := checkMerge(base, ours, theirs, m); err != nil {
			t.Fatalf("%v\nbase   %q\nours   %q\ntheirs %q\nmerged %q", err, base, ours.lines, theirs.lines, m.Lines)
		}
	}
}

func checkMerge(base []string, ours, theirs edited, m Merged) error {
	count := map[string]int{}
	for _, l := range m.Lines {
		count[l]++
	}
	for _, l := range slices.Concat(ours.added, theirs.added) {
		if count[l] != 1 {
			return fmt.Errorf("the new line %q is there %d times", l, count[l])
		}
	}
	for i, l := range base {
		want := btoi(!ours.changed[i] && !theirs.changed[i])
		if len(m.Conflicts) == 0 && count[l] != want || want == 1 && count[l] == 0 {
			return fmt.Errorf("the line %q is there %d times, want %d", l, count[l], want)
		}
	}
	if overlap(Edits(base, ours.lines), Edits(base, theirs.lines)) && len(m.Conflicts) == 0 {
		return fmt.Errorf("an overlap is not marked")
	}
	return nil
}

// With one side unchanged the result is the other; a change on both sides is applied once (behaviour 130).
func TestMergeWithOneSideUnchanged(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		base, other := randomMarked(r), randomMarked(r)
		for _, tt := range []struct {
			name         string
			ours, theirs []string
		}{
			{"ours", other, base}, {"theirs", base, other}, {"both alike", other, other},
		} {
			if got := Merge(base, tt.ours, tt.theirs).Lines; !slices.Equal(got, other) {
				t.Fatalf("changed %s: base %q, got %q, want %q", tt.name, short(base), short(got), short(other))
			}
		}
	}
}

// randomMarked is a text that may have markers anywhere.
func randomMarked(r *rand.Rand) []string {
	out := make([]string, r.IntN(12))
	for i := range out {
		out[i] = unshort(string("abcd<=>"[r.IntN(7)]))[0]
	}
	return out
}

// Merges into marked text end, lose no new line, and never nest complete conflicts (behaviours 130, 207).
func TestMergeAgainAndAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		base := numbered(r.IntN(10))
		buffer, seen := base, base
		for range 5 {
			buffer = randomEdit(r, Unmark(buffer), "ours").lines
			theirs := randomEdit(r, seen, "theirs").lines
			m := Merge(seen, buffer, theirs)
			again := Merge(theirs, m.Lines, randomEdit(r, theirs, "more").lines)
			for _, lines := range [][]string{m.Lines, again.Lines} {
				if slices.Contains(Unmark(lines), lineSplit) || slices.Contains(agentSides(lines), lineSplit) {
					t.Fatalf("a conflict is nested or torn: %q", lines)
				}
			}
			buffer, seen = again.Lines, theirs
		}
	}
}

// agentSides returns lines with the agent's side of each conflict in its place.
func agentSides(lines []string) []string {
	return side(lines, func(c Conflict) []string { return lines[c.Split+1 : c.End-1] })
}

// The marker lines of a conflict within which nothing looks like one.
const (
	lineYours = "<<<<<<< yours"
	lineSplit = "======="
	lineAgent = ">>>>>>> agent"
)

// A side with a line like a marker, such as the underlined heading of a text, is kept whole, also when the agent writes
// the same lines again (behaviour 207).
func TestConflictOfMarkers(t *testing.T) {
	for _, odd := range []string{lineSplit, "=========", lineYours, lineAgent, "<<<<<<<< yours"} {
		base := []string{"top", "old", "end"}
		ours := []string{"top", "History", odd, "paragraph 1", "paragraph 2", "end"}
		theirs := []string{"top", "agent", "end"}
		m := Merge(base, ours, theirs)
		if len(m.Conflicts) != 1 {
			t.Fatalf("%q: %d conflicts in %q", odd, len(m.Conflicts), m.Lines)
		}
		if got := Unmark(m.Lines); !slices.Equal(got, ours) {
			t.Errorf("%q: got %q for the user's side, want %q", odd, got, ours)
		}
		again := Merge(theirs, m.Lines, []string{"top", "agent 2", "end"})
		if got := Unmark(again.Lines); !slices.Equal(got, ours) {
			t.Errorf("%q, written again: got %q, want %q", odd, got, ours)
		}
		if got, want := agentSides(again.Lines), []string{"top", "agent 2", "end"}; !slices.Equal(got, want) {
			t.Errorf("%q: got %q for the agent's side, want %q", odd, got, want)
		}
	}
	typed := []string{lineYours, "History", lineSplit, "mine", lineSplit, "agent", lineAgent}
	if got, want := Unmark(typed), []string{"History", lineSplit, "mine"}; !slices.Equal(got, want) {
		t.Errorf("typed into a conflict: got %q, want %q", got, want)
	}
}
