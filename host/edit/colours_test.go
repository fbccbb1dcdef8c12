package edit

import (
	"fmt"
	"reflect"
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

// An answer that grows has the colours of one that comes at once, by its path or else its language; not all of it is looked at each time
// where one of both is known, until it is whole.
func TestColoursGrow(t *testing.T) {
	for _, test := range []struct {
		name, path, language string
		known                bool
	}{
		{"by its path", "a.go", "", true},
		{"by its path before its language", "a.go", "python", true},
		{"by its language", "", "go", true},
		{"by its language, of an unknown path", "a.unknown", "go", true},
		{"neither", "a.unknown", "unknown", false},
		{"nothing", "", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Request{Kind: Edit, Path: test.path, Language: test.language, Before: []string{"package a", "", "/* a comment", "ends */"}}
			ours := []string{"var old = 1 // it goes", "var value0 = \"text\" // a comment"}
			var lines []string
			var grown *Colours
			for i := range 400 {
				lines = append(lines, fmt.Sprintf("var value%d = \"text\" // a comment", i))
				if i%80 != 79 {
					continue
				}

				before := grown
				grown = Colour(r, ours, lines, before)
				whole := Colour(r, ours, lines, nil)
				if !reflect.DeepEqual(grown.code, whole.code) || !reflect.DeepEqual(grown.words, whole.words) {
					t.Fatalf("%d lines have other colours than at once", len(lines))
				}
				if rough := test.known && before != nil; grown.rough != rough || whole.rough {
					t.Errorf("%d lines: not all is looked at: %v, want %v; at once: %v", len(lines), grown.rough, rough, whole.rough)
				}
				if !grown.For(ours, lines, false) || grown.For(ours, lines, true) == grown.rough || !whole.For(ours, lines, true) {
					t.Errorf("%d lines are not known as those of the diff", len(lines))
				}
				for n, line := range lines {
					code, _ := grown.at(n, line)
					if other, words := grown.at(n, line+" "); (len(code) > 0) != test.known || other != nil || words != nil {
						t.Fatalf("line %d of %d: got %v, and %v, %v for another", n, len(lines), code, other, words)
					}
				}
			}
			if grown.For(ours, lines[1:], false) || grown.For(ours[1:], lines, false) || (*Colours)(nil).For(nil, nil, false) {
				t.Error("they are taken for those of another diff")
			}
			for n, line := range ours {
				code, words := grown.of(n, line)
				if goes := n == 0; !reflect.DeepEqual(words, grown.gone[n]) || (len(code) > 0) != (test.known && goes) {
					t.Errorf("line %d that goes: got %v, %v", n, code, words)
				}
				if code, words = grown.of(n, "other"); code != nil || words != nil {
					t.Errorf("another line: got %v, %v", code, words)
				}
			}
			if code, words := grown.of(2, ""); code != nil || words != nil {
				t.Errorf("a line too many: got %v, %v", code, words)
			}
			if other := Colour(r, ours[:1], lines, grown); len(other.old) > 1 {
				t.Errorf("other lines that go have the syntax of those before: %v", other.old)
			}
		})
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
