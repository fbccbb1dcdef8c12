package highlight

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told writes the spans of lines as text: each span's words and its group.
func told(lines []string, spans [][]Span) string {
	var out []string
	for row, list := range spans {
		for _, s := range list {
			out = append(out, fmt.Sprintf("%d %s %s", row, s.Group, lines[row][s.From:s.To]))
		}
	}
	return strings.Join(out, "\n")
}

func TestCode(t *testing.T) {
	lines := []string{"// two", "func f(s string) int {", "\treturn 1 + len(\"é\\n\")", "}"}
	want := `0 @comment // two
1 @keyword func
1 @function f
1 @type.builtin string
1 @type.builtin int
2 @keyword return
2 @number 1
2 @function.builtin len
2 @string "é\n"`
	for _, language := range []string{"go", "golang", "/a/b.go"} {
		if got := told(lines, Code(language, lines)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", language, got, want)
		}
	}
	if got := Code("no such language", lines); got != nil {
		t.Errorf("spans of an unknown language: %v", got)
	}
}

// Long code has spans up to the limit.
func TestLongCode(t *testing.T) {
	lines := slices.Repeat([]string{"var x = 1"}, 20_000)
	spans := Code("go", lines)
	if len(spans) != len(lines) || len(spans[100]) != 2 || len(spans[19_000]) != 0 {
		t.Errorf("%d lines of spans; %v; %v", len(spans), spans[100], spans[19_000])
	}
}

func TestChanges(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"one word", "if i < len(lines)-1 {", "if i < len(lines) {", "0 - -1"},
		{"words between", "total := compute(first, x, y)", "total := compute(second, x, z)", "0 - first\n0 - y\n0 + second\n0 + z"}, {"too many words", "a := first(x, y)", "a := second(x, z)", ""},
		{"a name with _", "result = call(first_one, second, third, more)", "result = call(first_two, second, third, more)", "0 - first_one\n0 + first_two"},
		{"joined over a space", "one two three four five", "one 2 3 four five", "0 - two three\n0 + 2 3"},
		{"nothing in common", "alpha beta", "gamma(delta)", ""},
		{"more lines", "x = compute(one)", "check(two)\nx = compute(one, two)", "1 + , two"},
		{"wide", "say 「日本語」 now", "say 「英語」 now", "0 - 日本語\n0 + 英語"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := strings.Split(test.old, "\n"), strings.Split(test.new, "\n")
			x, y := Changes(a, b, "-", "+")
			got := strings.TrimSpace(told(a, x) + "\n" + told(b, y))
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// What follows front matter has the colours of its own language, and the front matter those of YAML (behaviour 1397).
func TestMatter(t *testing.T) {
	matter, text := []string{"---", "title: x", "---"}, []string{"# A heading", "", "Some **bold** words."}
	got := Code("markdown", slices.Concat(matter, text))
	if len(got) != 6 {
		t.Fatalf("spans of %d lines", len(got))
	}
	if want := told(text, Code("markdown", text)); told(text, got[3:]) != want {
		t.Errorf("got\n%s\nwant\n%s", told(text, got[3:]), want)
	}
	if want := told(matter[1:2], Code("yaml", matter[1:2])); want == "" || told(matter[1:2], got[1:2]) != want {
		t.Errorf("got\n%s\nwant\n%s", told(matter[1:2], got[1:2]), want)
	}
}
