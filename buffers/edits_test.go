package buffers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/linestest"
)

func TestEdits(t *testing.T) {
	for _, tt := range []struct{ name, a, b, want string }{
		{"equal", "abc", "abc", ""},
		{"from nothing", "", "ab", "0-0:ab"},
		{"to nothing", "ab", "", "0-2:"},
		{"change", "abc", "axc", "1-2:x"},
		{"insert", "abc", "abxc", "2-2:x"},
		{"delete", "abc", "ac", "1-2:"},
		{"two hunks", "abcde", "xbcdy", "0-1:x 4-5:y"},
		{"repeated line", "aab", "aaab", "2-2:a"},
		{"moved", "abcd", "bcda", "0-1: 4-4:a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := showEdits(Edits(chars(tt.a), chars(tt.b))); got != tt.want {
				t.Errorf("Edits(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

// chars makes a line of each character.
func chars(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "")
}

func showEdits(edits []Edit) string {
	var out []string
	for _, e := range edits {
		out = append(out, fmt.Sprintf("%d-%d:%s", e.Start, e.End, strings.Join(e.Lines, "")))
	}
	return strings.Join(out, " ")
}

func TestEditsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		a := linestest.Random(r, r.IntN(40), 1+r.IntN(20))
		b := linestest.Random(r, r.IntN(40), 1+r.IntN(20))
		edits := Edits(a, b)
		if got := Apply(a, edits); !slices.Equal(got, b) {
			t.Fatalf("Apply(%q, Edits(to %q)) = %q", a, b, got)
		}
		if err := checkEdits(a, edits); err != nil {
			t.Fatalf("Edits(%q, %q): %v", a, b, err)
		}
		if got, want := touched(edits), len(a)+len(b)-2*longestCommon(a, b); got != want {
			t.Fatalf("Edits(%q, %q) touch %d lines, want %d", a, b, got, want)
		}
	}
}

// checkEdits checks that edits are in order, apart from each other, and do not begin or end with a line that stays.
func checkEdits(a []string, edits []Edit) error {
	last := -1
	for _, e := range edits {
		if e.Start <= last || e.End < e.Start || e.End > len(a) {
			return fmt.Errorf("hunk %v out of order", e)
		}
		if head, tail := commonEnds(a[e.Start:e.End], e.Lines); head+tail > 0 {
			return fmt.Errorf("hunk %v touches lines that stay", e)
		}
		last = e.End
	}
	return nil
}

func touched(edits []Edit) int {
	n := 0
	for _, e := range edits {
		n += e.End - e.Start + len(e.Lines)
	}
	return n
}

// longestCommon is the length of the longest common subsequence, by the book.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, l := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if l == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// Texts with little in common are cut at unique lines and end in coarse hunks.
func TestEditsFarApart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, kinds := range []int{2, 50, 5000} {
		a, b := make([]string, 4000), make([]string, 4000)
		for i := range a {
			a[i], b[i] = fmt.Sprint(r.IntN(kinds)), fmt.Sprint(r.IntN(kinds))
		}
		edits := Edits(a, b)
		if !slices.Equal(Apply(a, edits), b) {
			t.Errorf("%d kinds of lines: the edits do not lead to b", kinds)
		}
		if err := checkEdits(a, edits); err != nil {
			t.Errorf("%d kinds of lines: %v", kinds, err)
		}
	}
}

// Neighbouring hunks are joined when there are too many (behaviour 208).
func TestEditsAreJoinedWhenTooMany(t *testing.T) {
	a, b := numbered(30000), numbered(30000)
	for i := 0; i < len(b); i += 3 {
		b[i] += "x"
	}
	edits := Edits(a, b)
	if len(edits) > maxEdits || len(edits) < 2 {
		t.Errorf("got %d hunks, want at most %d", len(edits), maxEdits)
	}
	if !slices.Equal(Apply(a, edits), b) {
		t.Error("the joined edits do not lead to b")
	}
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("line %d of a text of some length", i)
	}
	return out
}

// The bound holds on a busy machine under the race detector; quadratic work on 100 000 lines takes minutes
// (behaviour 48).
func TestEditsOfManyLinesAreQuick(t *testing.T) {
	a := numbered(100000)
	for _, tt := range []struct {
		name   string
		change func(b []string)
	}{
		{"one line", func(b []string) { b[50000] = "changed" }},
		{"first and last line", func(b []string) { b[0], b[len(b)-1] = "x", "y" }},
		{"all lines", func(b []string) {
			for i := range b {
				b[i] += "!"
			}
		}},
		{"reversed", func(b []string) { slices.Reverse(b) }},
		{"all alike", func(b []string) {
			for i := range b {
				b[i] = a[i%7]
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := slices.Clone(a)
			tt.change(b)
			start := time.Now()
			edits := Edits(a, b)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			if !slices.Equal(Apply(a, edits), b) {
				t.Error("the edits do not lead to b")
			}
		})
	}
}

func BenchmarkEditsOneLineOfMany(b *testing.B) {
	old := numbered(100000)
	new := numbered(100000)
	new[50000] = "changed"
	for b.Loop() {
		Edits(old, new)
	}
}
