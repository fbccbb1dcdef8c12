package edit

import (
	"fmt"
	"reflect"
	"testing"
)

// A long answer that has grown line by line has the colours that it has at once: those of its first part.
func TestColoursOfLong(t *testing.T) {
	r := Request{Kind: Edit, Path: "a.go", Before: []string{"package a", ""}}
	var lines []string
	var grown *Colours
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf("var value%d = \"%060d\" // and a comment", i, i))
		if i%100 == 99 {
			grown = Colour(r, nil, lines, grown)
		}
	}
	whole := Colour(r, nil, lines, nil)
	n := len(whole.code)
	if n < 400 || n > 1000 || len(whole.code[n-1]) == 0 {
		t.Fatalf("%d lines have colours", n)
	}
	if !grown.rough || !reflect.DeepEqual(grown.code, whole.code) {
		t.Errorf("%d lines have colours as the answer grows, %d at once", len(grown.code), n)
	}
}
