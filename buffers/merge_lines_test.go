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
