package problems

import (
	"fmt"
	"strings"
	"testing"
)

// New errors are those that were not there before, wherever they have moved (behaviour 321).
func TestNew(t *testing.T) {
	at := func(line int, message string) Item { return Item{Path: "/p/a.go", Line: line, Message: message} }
	tests := []struct {
		name          string
		before, after []Item
		want          int
	}{
		{"none", nil, nil, 0},
		{"one", nil, []Item{at(1, "x")}, 1},
		{"moved", []Item{at(1, "x")}, []Item{at(9, "x")}, 0},
		{"once more", []Item{at(1, "x")}, []Item{at(1, "x"), at(2, "x")}, 1},
		{"another", []Item{at(1, "x")}, []Item{at(1, "y")}, 1},
		{"gone", []Item{at(1, "x")}, nil, 0},
		{"in another file", []Item{at(1, "x")}, []Item{{Path: "/p/b.go", Line: 1, Message: "x"}}, 1},
	}
	for _, test := range tests {
		if got := New(test.before, test.after); len(got) != test.want {
			t.Errorf("%s: got %v, want %d", test.name, got, test.want)
		}
	}
}

// What is shown and sent is bounded, and each error stays on its line.
func TestTexts(t *testing.T) {
	var list []Item
	for i := range 50 {
		list = append(list, Item{Path: fmt.Sprint("/p/", i%2), Line: i, Col: 1, Message: "a\nb " + strings.Repeat("ü", maxText)})
	}
	short := func(path string) string { return strings.TrimPrefix(path, "/p/") }
	for name, text := range map[string]string{"offer": Offer(list, "gS", short), "prompt": Prompt(list, short)} {
		lines := strings.Split(text, "\n")
		if len(lines) > maxSent+4 || !strings.HasPrefix(lines[len(lines)-1], "and ") {
			t.Errorf("%s has %d lines: %q", name, len(lines), lines[len(lines)-1])
		}
	}
	if got, want := strings.Split(Offer(list, "gS", short), "\n")[0], "50 new errors in 2 files; gS sends them to the agent"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Offer(list[:1], "", short), "1 new error in 0\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
