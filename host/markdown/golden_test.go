package markdown

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the goldens anew")

var glyphs = Glyphs{Bullet: "•", Rule: "─", Done: "✓", Open: "○"}

func render(source string, width int) Page {
	return Render(source, Options{Width: width, Glyphs: glyphs})
}

// told writes a page: each row after the line that it comes from, and below it its spans, its links, what is at its right.
func told(p Page, spans bool) string {
	var b strings.Builder
	for _, r := range p.Rows {
		fmt.Fprintf(&b, "%3d%s%s\n", r.Source+1, map[bool]string{true: "▒", false: " "}[r.Line != ""], r.Text)
		if !spans {
			continue
		}
		for _, s := range r.Spans {
			fmt.Fprintf(&b, "      %s %q\n", s.Group, r.Text[s.From:s.To])
		}
		for _, l := range r.Links {
			fmt.Fprintf(&b, "      -> %q %s\n", r.Text[l.From:l.To], l.Target)
		}
		if r.Right != "" {
			fmt.Fprintf(&b, "      right %q\n", r.Right)
		}
	}
	for _, c := range p.Codes {
		fmt.Fprintf(&b, "code %d to %d: %q\n", c.From, c.To, c.Lines)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	source, err := os.ReadFile("testdata/answer.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{45, 60, 80, 120} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			got := told(render(string(source), width), width == 80)
			name := fmt.Sprintf("testdata/answer-%d.txt", width)
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRender(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"a marker that does not end", "a **b", "  1 a **b\n"},
		{"numbers from the first on", "3. a\n3. b", "  1 3. a\n  2 4. b\n"},
		{"an empty item", "-\n- a", "  1 •\n  2 • a\n"},
		{"an empty heading", "##\n\na", "  1 \n  2 \n  3 a\n"},
		{"one empty row between", "a\n\n\n\nb", "  1 a\n  4 \n  5 b\n"},
		{"hard breaks", "a  \nb\\\nc", "  1 a\n  2 b\n  3 c\n"},
		{"a code span over lines", "x `a\nb` c", "  2 x a b c\n"},
		{"a table with more cells than columns", "|a|b|\n|-|-|\n|1|2|3 | 4|\n||| 5", "  1 a  b\n  2 ────────\n  3 1  2\n  3    3 | 4\n  4    5\n"},
		{"a table with a bar in code", "> |a|b|\n> |-|-|\n> |`x || y`|either|", "  1   a   b\n  2   ─────────────\n  3   `x  y`|either\n"},
		{"a table without rows", "|a|b|\n|-|-|", "  1 a  b\n  2 ────\n"},
		{"a row that is too short", "|a|b|\n|-|-|\n|c|", "  1 a  b\n  2 ────\n  3 c\n"},
		{"a table below a line", "Result:\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "  1 Result:\n  2 a  b\n  3 ────\n  4 1  2\n  5 3  4\n"},
		{"a table below a paragraph", "x\n\none\ntwo\n|a|\n|-|\n|1|\n\nend", "  1 x\n  2 \n  3 one\n  4 two\n  5 a\n  6 ─\n  7 1\n  8 \n  9 end\n"},
		{"a table below a line of an item", "- Result:\n  |a|b|\n  |-|-|\n  |1|2|\n- next", "  1 • Result:\n  2   a  b\n  3   ────\n  4   1  2\n  5 • next\n"},
		{"a table below a quoted line", "> Result:\n> |a|b|\n> |-|-|\n> |1|2|", "  1   Result:\n  2   a  b\n  3   ────\n  4   1  2\n"},
		{"a table with an empty row", "Result:\n|a|b|\n|-|-|\n|||\n|1|2|", "  1 Result:\n  2 a  b\n  3 ────\n  4 \n  5 1  2\n"},
		{"a table and a line below", "|a|\n|-|\n\nb", "  1 a\n  2 ─\n  3 \n  4 b\n"},
		{"a quotation in an item in a quotation", "> - a\n>   > b\n>   >\n>   > c", "  1   • a\n  2       b\n  3      \n  4       c\n"},
		{"carriage returns", "a\r\n\r\n- b\r\n", "  1 a\n  2 \n  3 • b\n"},
		{"code with tabs in a list", "- a\n  ```\n  \tb\n  c\n  ```\n1. ```\n   b\n   ```", "  1 • a\n  3▒    \tb\n  4▒    c\n  7▒1. b\ncode 1 to 3: [\"\\tb\" \"c\"]\ncode 3 to 4: [\"b\"]\n"},
		{"an empty code block", "```go\n```\na", "  1▒\n  3 a\ncode 0 to 0: []\n"},
		{"HTML over lines", "a <b\nc> d", "  1 a <b\n  2 c> d\n"},
		{"too long", strings.Repeat("a\n", Max), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := told(render(test.source, 60), false); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A table fits the width as long as its columns can be three cells wide, and says that it depends on the width (behaviour
// 282).
func TestTableFits(t *testing.T) {
	source := "before\n\n| one | " + strings.Repeat("many words ", 20) + " | averyveryverylongwordthatnevereverends | 日本語日本語日本語日本語 |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |"
	for width := 18; width < 200; width++ {
		p := render(source, width)
		if !p.Wide {
			t.Fatal("the page does not depend on the width")
		}
		for _, r := range p.Rows[1:] {
			if got := Cells(r.Text); got > width {
				t.Fatalf("%d cells in %d: %q", got, width, r.Text)
			}
		}
	}
	if render("no table", 80).Wide {
		t.Error("a paragraph depends on the width")
	}
}

// Long code is rendered, also if its fence never ends; other long text is not.
func TestLongCode(t *testing.T) {
	code := strings.Repeat("var x = 1\n", 10_000)
	for _, end := range []string{"```\n", ""} {
		p := render("```go\n"+code+end, 80)
		if len(p.Rows) != 10_000 || p.Rows[0].Right != "go" || len(p.Rows[10].Spans) != 2 {
			t.Errorf("ends with %q: %d rows, %v", end, len(p.Rows), p.Rows[:min(2, len(p.Rows))])
		}
	}
	for _, source := range []string{code, "```\n```\n" + code + "```", "``` a`b\n" + code + "```"} {
		if p := render(source, 80); len(p.Rows) > 0 {
			t.Errorf("%q…: %d rows", source[:10], len(p.Rows))
		}
	}
}

// A line that is longer than a row may be is broken between words, with its marks.
func TestLongLine(t *testing.T) {
	p := render("- **"+strings.Repeat("word ", 1000)+"end**", 80)
	check(t, p)
	if len(p.Rows) != 3 || p.Rows[1].Spans[0].Group != bold || !strings.HasPrefix(p.Rows[1].Text, "  word ") {
		t.Errorf("%d rows: %v", len(p.Rows), p.Rows)
	}
}

// Hostile text is rendered in bounded time, with no more spans than a screen can show.
func TestHostile(t *testing.T) {
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
		p := render(text, 80)
		check(t, p)
		for i, r := range p.Rows {
			if len(r.Spans) > maxSpans || len(r.Text) > 2*maxRow {
				t.Errorf("%s: row %d has %d spans, %d bytes", name, i, len(r.Spans), len(r.Text))
			}
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	source := strings.Repeat("the quick brown fox jumps over a lazy do\n", 380)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Render(source, Options{Width: 80, Glyphs: glyphs})
	}
}

func BenchmarkSmall(b *testing.B) {
	source := "- an item with **bold** words and `code` in it\n"
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Render(source, Options{Width: 80, Glyphs: glyphs})
	}
}

func BenchmarkRender(b *testing.B) {
	text := "Some *words* with `code` and [a link](http://a.b).\n\n- an item\n- **another**\n\n```go\nfunc f(x int) string {\n\treturn fmt.Sprint(x, \"text\") // why\n}\n```\n\n"
	source := strings.Repeat(text, 100)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		render(source, 80)
	}
}

// Bytes that are no text are shown as such, and reach no Neovim as they are.
func TestNoText(t *testing.T) {
	for _, source := range []string{"a \xff b", "*a \xe2\x82*", "```\n\xff\n```"} {
		for _, row := range render(source, 40).Rows {
			if !utf8.ValidString(row.Text) {
				t.Errorf("%q: got %q", source, row.Text)
			}
		}
	}
}
