package problems

import (
	"fmt"
	"regexp"
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

// Errors in files that the agent has not changed come last, below a line that says so, and those that are not shown are counted apart
// (behaviour 1495).
func TestTextsOfOthers(t *testing.T) {
	list := func(others string) (list []Item) {
		for i, c := range others {
			list = append(list, Item{Path: "f", Line: i, Message: string(c), Elsewhere: c == 'e'})
		}
		return list
	}
	short := func(path string) string { return path }
	const mark = "In files that the turn has not changed:"
	for others, want := range map[string]string{
		"o":       "1 new error in f|o",
		"eoe":     "3 new errors in f|o|" + mark + "|e|e",
		"e":       "1 new error in f|" + mark + "|e",
		"ooooeo":  "6 new errors in f|o|o|o|o|o|and 1 more, 1 of them in other files",
		"ooooeee": "7 new errors in f|o|o|o|o|" + mark + "|e|and 2 more, 2 of them in other files",
		"ooooooe": "7 new errors in f|o|o|o|o|o|and 2 more, 1 of them in other files",
		"eeeeee":  "6 new errors in f|" + mark + "|e|e|e|e|e|and 1 more",
		"oooooo":  "6 new errors in f|o|o|o|o|o|and 1 more",
	} {
		got := regexp.MustCompile(`f:\d+:0: `).ReplaceAllString(Offer(list(others), "", short), "")
		if got = strings.ReplaceAll(got, "\n", "|"); got != want {
			t.Errorf("%s: got %q, want %q", others, got, want)
		}
	}
	for others, want := range map[string]string{
		"o":  "files that you have changed. Please fix them.||o",
		"e":  "files that you have not changed. Please fix them.||e",
		"eo": "files that you have changed, and in others. Please fix them.||o||In files that you have not changed:||e",
	} {
		got := regexp.MustCompile(`f:\d+:0: `).ReplaceAllString(Prompt(list(others), short), "")
		if got = strings.ReplaceAll(got, "\n", "|"); got != "The language server reports new errors in "+want {
			t.Errorf("%s: got %q, want %q", others, got, want)
		}
	}
}
