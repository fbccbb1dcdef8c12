package renamed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// compared is renames as it is defined: each file that has come is compared with each that is gone.
func compared(gone, come []string) map[int]int {
	moved, taken := map[int]int{}, map[int]bool{}
	find := func(to int, same func(from int) (int, bool)) {
		best, most := -1, 0
		for from := range gone {
			if n, ok := same(from); ok && !taken[from] && n > most {
				best, most = from, n
			}
		}
		if best >= 0 {
			moved[to], taken[best] = best, true
		}
	}

	for to, text := range come {
		find(to, func(from int) (int, bool) { return 1, gone[from] == text })
	}
	for to, text := range come {
		if _, known := moved[to]; known {
			continue
		}
		find(to, func(from int) (int, bool) {
			before, after := rewind.Content{Data: []byte(gone[from])}, rewind.Content{Data: []byte(text)}
			added, removed := rewind.Count(before, after)
			n := strings.Count(text, "\n") - added
			return n, 2*n >= n+added && 2*n >= n+removed
		})
	}
	return moved
}

// Files that a program has moved are found by their text, those that are unchanged first, and what need not be compared is not
// (behaviour 687).
func TestRenames(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := func() string {
			var b strings.Builder
			for range 1 + r.IntN(12) {
				fmt.Fprintf(&b, "line %d\n", r.IntN(9))
			}
			return b.String()
		}
		var gone, come []string
		for range r.IntN(5) {
			gone = append(gone, text())
		}
		for range r.IntN(5) {
			if len(gone) > 0 && r.IntN(2) == 0 {
				come = append(come, gone[r.IntN(len(gone))]+strings.Repeat("more\n", r.IntN(3)))
			} else {
				come = append(come, text())
			}
		}
		var list []rewind.Change
		var pairs []Pair
		for i, text := range gone {
			list = append(list, rewind.Change{Path: fmt.Sprint("gone", i)})
			pairs = append(pairs, Pair{rewind.Content{Data: []byte(text)}, rewind.Content{Missing: true}})
		}
		for i, text := range come {
			list = append(list, rewind.Change{Path: fmt.Sprint("come", i), Program: true})
			pairs = append(pairs, Pair{rewind.Content{Missing: true}, rewind.Content{Data: []byte(text)}})
		}
		want := compared(gone, come)
		got := Find(list, pairs)
		if len(got) != len(want) {
			t.Fatalf("seed %d: got %v, want %v of %q and %q", seed, got, want, gone, come)
		}
		for to, from := range want {
			if got[len(gone)+to] != from {
				t.Fatalf("seed %d: %d was %d, want %d", seed, to, got[len(gone)+to], from)
			}
		}
	}
}

// Files that were only moved are found by their texts, whatever their number and size: their lines are not looked at
// (behaviour 687).
func TestMovedLinesAreNotCounted(t *testing.T) {
	const files, lines = 100, 3000
	var list []rewind.Change
	var pairs []Pair
	for i := range files {
		var b strings.Builder
		for n := range lines {
			fmt.Fprintf(&b, "line %d of file %d\n", n, i)
		}
		text := rewind.Content{Data: []byte(b.String())}
		list = append(list,
			rewind.Change{Path: fmt.Sprintf("/old/%d", i)}, rewind.Change{Path: fmt.Sprintf("/new/x%d", i), Program: true})
		pairs = append(pairs, Pair{text, rewind.Content{Missing: true}}, Pair{rewind.Content{Missing: true}, text})
	}

	var found map[int]int
	if n := testing.AllocsPerRun(1, func() { found = Find(list, pairs) }); n > files*20 {
		t.Errorf("%.0f allocations for %d files of %d lines", n, files, lines)
	}
	for i := range files {
		if found[2*i+1] != 2*i {
			t.Errorf("file %d is taken for %d", i, found[2*i+1])
		}
	}
}

// TestAlike tells a text that was rewritten from another at its place (behaviour 1377).
func TestAlike(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"one line differs", "alpha\nbeta_\ngamma\n", "alpha\nbeta_\nGAMMA\n", true},
		{"much was added", "alpha\nbeta_\n", "alpha\nbeta_\n" + strings.Repeat("new line\n", 20), true},
		{"only braces in common", "func a() {\n}\n\n{\n}\n", "func b() {\n}\n\n{\n}\n", false},
		{"nothing but braces", "{\n}\n", "{\n}\n", true},
		{"another text", "alpha\nbeta_\n", "unrelated\n", false},
		{"empty", "alpha\n", "", false},
		{"no text", "alpha\n", "a\x00", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Alike(rewind.Content{Data: []byte(tt.a)}, rewind.Content{Data: []byte(tt.b)})
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
