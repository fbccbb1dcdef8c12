package problems

import (
	"strings"
	"testing"
)

// Where the errors before are not known, those on lines that have changed are new, and those that follow from them (behaviour 502).
func TestBrought(t *testing.T) {
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
		c := NewChanged(len(was))
		c.Edit(was, test.edits, true)
		if c.Shared() {
			t.Errorf("%s: it is shared", test.name)
		}
		got := c.Brought([]Item{{Line: test.line, Message: test.message}})
		if (len(got) == 1) != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

// An error on a line that the user has typed is not the agent's, unless it follows from what that has done (behaviour 533).
func TestOwn(t *testing.T) {
	was := strings.Split("one\ntwo\nthree", "\n")
	c := NewChanged(len(was))
	c.Edit(was, []Edit{{0, 0, []string{"typed before"}}}, false)
	was = strings.Split("typed before\none\ntwo\nthree", "\n")
	c.Edit(was, []Edit{{1, 2, []string{"make(it)"}}, {3, 4, nil}}, true)
	was = strings.Split("typed before\nmake(it)\ntwo", "\n")
	c.Edit(was, []Edit{{1, 1, []string{"typed"}}, {3, 3, []string{"typed too"}}}, false)
	for _, test := range []struct {
		line         int
		message      string
		own, brought bool
	}{
		{1, "wrong", false, false},
		{2, "wrong", false, false},
		{2, "not enough arguments in call to make", true, true},
		{3, "wrong", true, true},
		{4, "wrong", true, true}, // beside what is removed
		{5, "wrong", false, false},
		{6, "wrong", true, false},
		{0, "wrong", true, false},
	} {
		list := []Item{{Line: test.line, Message: test.message}}
		if names := c.Names(list[0]); names != strings.Contains(test.message, "make") || !c.Shared() {
			t.Errorf("%q: names %t, shared %t", test.message, names, c.Shared())
		}
		if own, brought := len(c.Own(list)) == 1, len(c.Brought(list)) == 1; own != test.own || brought != test.brought {
			t.Errorf("line %d, %q: own %t, brought %t", test.line, test.message, own, brought)
		}
	}
}
