package highlight

import (
	"fmt"
	"math/rand/v2"
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
		{"words between", "a := first(x, y)", "a := second(x, z)", "0 - first\n0 - y\n0 + second\n0 + z"},
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

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"heading", "# One *two*\ntext", "0 AcpHeading # One *two*\n0 AcpItalic *two*"},
		{"emphasis over lines", "a **b\n  c** d", "0 AcpBold **b\n1 AcpBold c**"},
		{"nested", "***x*** ~~y~~", "0 AcpItalic ***x***\n0 AcpBold **x**\n0 AcpStrike ~~y~~"},
		{"code span", "`` a`b `` and `c`", "0 AcpCode `` a`b ``\n0 AcpCode `c`"},
		{"snake_case", "a_b_c and 2 * 3 * 4", ""},
		{"links", "[a](b(c)) <http://d.e> https://f.g ![h][i]\n\n[i]: /j", "0 AcpLink [a](b(c))\n0 AcpLink http://d.e\n0 AcpLink https://f.g\n0 AcpLink ![h][i]"},
		{"lists", "- a\n  1. b\n- [x] c", "0 AcpList -\n1 AcpList 1.\n2 AcpList -\n2 AcpList [x]"},
		{"quote", "> a\n> **b**", "0 AcpQuote > a\n1 AcpQuote > **b**\n1 AcpBold **b**"},
		{"table", "|a|b|\n|-|-|\n|1|`2`|", "0 AcpBold |a|b|\n0 AcpFence |\n0 AcpFence |\n0 AcpFence |\n1 AcpFence |-|-|\n2 AcpFence |\n2 AcpFence |\n2 AcpFence |\n2 AcpCode `2`"},
		{"code", "1. x\n\n   ```go\n   return 1\n   ```\n", "0 AcpList 1.\n2 AcpFence    ```go\n3 @keyword return\n3 @number 1\n4 AcpFence    ```"},
		{"code of no language", "```\nx y\n```", "0 AcpFence ```\n1 AcpCodeBlock x y\n2 AcpFence ```"},
		{"code without an end", "~~~sh\necho \"a\"", "0 AcpFence ~~~sh\n1 @function.builtin echo\n1 @string \"a\""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := strings.Split(test.text, "\n")
			if got := told(lines, Markdown(lines)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// For any text, every span is within its line.
func TestSpansAreWithinLines(t *testing.T) {
	parts := []string{"*", "**", "`", "```", "```go\n", "~~~", "[", "](", ")", "<http://a>", "\n", "\n\n", "> ", "- ", "1. ", "    ", "|", "|-|\n", "a", "é", "\t", "_", "# ", "~~", "\r", "\x00", "\xff", "![", "\\"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for range r.IntN(40) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		lines := strings.Split(b.String(), "\n")
		for row, list := range Markdown(lines) {
			for _, s := range list {
				if s.From < 0 || s.From >= s.To || s.To > len(lines[row]) {
					t.Fatalf("%q: line %d has a span %v", b.String(), row, s)
				}
			}
		}
	}
}

func BenchmarkMarkdown(b *testing.B) {
	text := "Some *words* with `code` and [a link](http://a.b).\n\n- an item\n- **another**\n\n```go\nfunc f(x int) string {\n\treturn fmt.Sprint(x, \"text\") // why\n}\n```\n\n"
	lines := strings.Split(strings.Repeat(text, 100), "\n")
	b.SetBytes(int64(100 * len(text)))
	for b.Loop() {
		Markdown(lines)
	}
}

// Hostile Markdown is highlighted in bounded time, with no more spans than a screen can show (behaviour 117).
func TestMarkdownHostile(t *testing.T) {
	for name, text := range map[string]string{
		"quotes around many lines": strings.Repeat("> ", 2000) + "a\n" + strings.Repeat("a\n", 2000),
		"quotes":                   strings.Repeat(">", 2000),
		"emphasis in emphasis":     strings.Repeat("*a ", 2000) + strings.Repeat("b*", 2000),
		"strong in strong":         strings.Repeat("**a ", 2000) + strings.Repeat("b**", 2000),
		"lists in lists":           strings.Repeat("- ", 2000),
		"links that do not end":    strings.Repeat("[a](", 500),
		"a table of many columns":  "|" + strings.Repeat("a|", 1000) + "\n|" + strings.Repeat("-|", 1000) + "\n",
		"code after code":          strings.Repeat("`a` ", 2000),
	} {
		for row, spans := range Markdown(strings.Split(text, "\n")) {
			if len(spans) > maxSpans {
				t.Errorf("%s: line %d has %d spans", name, row, len(spans))
			}
		}
	}
}
