package buffers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// A user and an agent keep changing a text whose conflicts nobody decides, also inside them, and the agent's version is
// sometimes an older one. No line is lost that neither of the two has removed (behaviour 130).
func TestMergeKeepsLines(t *testing.T) {
	seed := seedtest.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		n, gone := 0, map[string]bool{}
		change := func(lines []string) []string {
			out := slices.Clone(lines)
			for range 1 + r.IntN(4) {
				n++
				i := r.IntN(len(out))
				fixed := i == 0 || i == len(out)-1 || markerLen(out[i], "<", markYours)+markerLen(out[i], "=", "")+markerLen(out[i], ">", markAgent) > 0
				switch {
				case r.IntN(2) == 0:
					out = slices.Insert(out, max(i, 1), fmt.Sprint("new ", n))
				case !fixed && r.IntN(2) == 0:
					gone[out[i]] = true
					out = slices.Delete(out, i, i+1)
				case !fixed:
					gone[out[i]] = true
					out[i] = fmt.Sprint("changed ", n)
				}
			}
			return out
		}
		buffer := []string{"top", "a", "b", "c", "d", "e", "f", "bottom"}
		seen := buffer
		all := map[string]bool{}
		for range 12 {
			if r.IntN(2) == 0 {
				seen = buffer
			}
			before := buffer
			theirs := change(seen)
			buffer = change(buffer)
			for _, l := range slices.Concat(buffer, theirs) {
				all[l] = all[l] || markerLen(l, "<", markYours)+markerLen(l, "=", "")+markerLen(l, ">", markAgent) == 0
			}
			m := Merge(seen, buffer, theirs)
			for l, text := range all {
				if text && !gone[l] && !slices.Contains(m.Lines, l) {
					t.Fatalf("%q is lost:\nbefore %q\nbase   %q\nours   %q\ntheirs %q\nmerged %q", l, before, seen, buffer, theirs, m.Lines)
				}
			}
			buffer, seen = m.Lines, theirs
		}
	}
}

// What both sides change identically is no conflict, whatever one of them changes beside it: the result has each change once
// (behaviour 1372).
func TestMergeSharedChanges(t *testing.T) {
	seed := seedtest.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		var base, ours, theirs, want []string
		for i := range 1 + r.IntN(12) {
			was, is := []string{fmt.Sprint("base ", i)}, []string{fmt.Sprint("new ", i)}
			base = append(base, was...)
			switch r.IntN(3) {
			case 0:
				ours, theirs, want = append(ours, was...), append(theirs, was...), append(want, was...)
			case 1:
				ours, theirs, want = append(ours, was...), append(theirs, is...), append(want, is...)
			default:
				if r.IntN(3) == 0 {
					is = append(is, fmt.Sprint("more ", i))
				}
				ours, theirs, want = append(ours, is...), append(theirs, is...), append(want, is...)
			}
		}
		if r.IntN(2) == 0 {
			ours, theirs = theirs, ours
		}
		m := Merge(base, ours, theirs)
		if !slices.Equal(m.Lines, want) {
			t.Fatalf("base   %q\nours   %q\ntheirs %q\nmerged %q\nwant   %q", base, ours, theirs, m.Lines, want)
		}
		if got := Apply(ours, m.Edits); !slices.Equal(got, want) {
			t.Fatalf("the edits of ours make %q, want %q", got, want)
		}
	}
}

// Two sides that have some lines in common lose none that neither has removed (behaviours 130, 1372).
func TestMergeSharedKeepsLines(t *testing.T) {
	seed := seedtest.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50000 {
		base := numbered(1 + r.IntN(6))
		shared := randomEdit(r, base, "both").lines
		gone := map[string]bool{}
		change := func(name string) []string {
			lines := base
			if r.IntN(2) == 0 {
				lines = shared
			}
			e := randomEdit(r, lines, name)
			for i := range e.changed {
				gone[lines[i]] = true
			}
			for _, l := range base {
				gone[l] = gone[l] || !slices.Contains(lines, l)
			}
			if i := r.IntN(len(shared) + 1); i < len(shared) && !slices.Contains(e.lines, shared[i]) {
				e.lines = slices.Insert(e.lines, r.IntN(len(e.lines)+1), shared[i])
			}
			return e.lines
		}
		ours, theirs := change("ours"), change("theirs")
		m := Merge(base, ours, theirs)
		for _, l := range slices.Concat(ours, theirs) {
			if !gone[l] && !slices.Contains(m.Lines, l) {
				t.Fatalf("%q is lost:\nbase   %q\nours   %q\ntheirs %q\nmerged %q", l, base, ours, theirs, m.Lines)
			}
		}
	}
}
