package edit

import (
	"fmt"
	"testing"
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
