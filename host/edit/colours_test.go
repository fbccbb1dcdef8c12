package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// A long answer that has grown has colours as far as one that comes at once: how far is a matter of its size.
func TestColoursOfLong(t *testing.T) {
	r := Request{Kind: Edit, Path: "a.go", Before: []string{"package a", ""}}
	var lines []string
	var grown *Colours
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf("var value%d = \"%060d\" // and a comment", i, i))
		if i%300 == 299 {
			grown = Colour(r, nil, lines, grown)
		}
	}
	whole := Colour(r, nil, lines, nil)
	if n := len(whole.code); n < 400 || n > 1000 || len(grown.code) != n {
		t.Errorf("%d lines have colours as the answer grows, %d at once", len(grown.code), n)
	}
}

// The colours of code are looked for up to the last line that an answer adds, also behind others that it adds or removes.
func TestNewEnd(t *testing.T) {
	for _, test := range []struct {
		name, ours, lines string
		want              int
	}{
		{"none", "a b c", "a b c", 0},
		{"one", "a b c", "a B c", 2},
		{"behind lines that are added", "a b c d", "a x y z b c D", 7},
		{"behind lines that are removed", "a b c d e", "a E", 2},
		{"removed at the end", "a b c", "A b", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			edits := buffers.Edits(strings.Fields(test.ours), strings.Fields(test.lines))
			if got := newEnd(edits); got != test.want {
				t.Errorf("got %d, want %d: %+v", got, test.want, edits)
			}
		})
	}
}
