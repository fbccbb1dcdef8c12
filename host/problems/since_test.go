package problems

import (
	"strings"
	"testing"
)

// Where the errors before are not known, those on lines that have changed are new, and those that follow from them (behaviour 502).
func TestSince(t *testing.T) {
	was := strings.Split("import strings\nfunc total(a) {\n  use(strings)\n}\nfar\naway\nlast", "\n")
	edit := func(start, end int, lines ...string) []Edit { return []Edit{{start, end, lines}} }
	tests := []struct {
		name    string
		edits   []Edit
		line    int
		message string
		want    bool
	}{
		{"on a line that has changed", edit(2, 3, "  use(nothing)"), 3, "undefined: nothing", true},
		{"beside it", edit(2, 3, "  use(nothing)"), 4, "undefined: last", false},
		{"after what is removed", edit(3, 4), 4, "expected }", true},
		{"before what is removed", edit(3, 4), 3, "expected }", true},
		{"of before", edit(2, 3, "  use(nothing)"), 7, "undefined: last", false},
		{"of before, moved", edit(0, 0, "new", "new"), 9, "undefined: last", false},
		{"on lines that are new", edit(0, 0, "new", "new"), 2, "undefined: new", true},
		{"after two edits", append(edit(0, 0, "new"), Edit{4, 5, nil}), 6, "expected }", true},
		{"it names what is removed", edit(0, 1), 6, "undefined: strings", true},
		{"it names a function that has changed", edit(1, 2, "func total(a, b) {"), 6, "not enough arguments in call to total", true},
		{"a keyword is no name", edit(1, 2, "func (t) total(a) {"), 7, "func is not used", false},
		{"nothing has changed", nil, 7, "undefined: last", false},
		{"no line", edit(2, 3, "  use(nothing)"), 0, "no package", false},
	}
	for _, test := range tests {
		got := Since([]Item{{Line: test.line, Message: test.message}}, was, test.edits)
		if (len(got) == 1) != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}
