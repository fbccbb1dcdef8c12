package markdown

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var rounds = flag.Int("rounds", 1000, "random documents to render")

// author writes random Markdown in which each word is there once.
type author struct {
	*rand.Rand
	words int
}

func (a *author) word() string {
	a.words++
	return fmt.Sprintf("w%d", a.words)
}

// pick returns the result of one of the functions.
func (a *author) pick(list ...func() string) string { return list[a.IntN(len(list))]() }

func (a *author) many(most int, sep string, make func() string) string {
	var parts []string
	for range 1 + a.IntN(most) {
		parts = append(parts, make())
	}
	return strings.Join(parts, sep)
}

// inline is a word with markup, nested at most so deep.
func (a *author) inline(depth int) string {
	if depth == 0 {
		return a.word()
	}
	inner := func() string { return a.inline(depth - 1) }
	return a.pick(
		a.word, a.word, a.word,
		func() string { return "**" + inner() + "**" },
		func() string { return "*" + inner() + "*" },
		func() string { return "~~" + inner() + "~~" },
		func() string { return "`" + a.word() + " " + a.word() + "`" },
		func() string { return "[" + inner() + "](./p 't')" },
		func() string { return "![" + a.word() + "](./p)" },
		func() string { return `\*` + a.word() + "&amp;" },
		func() string { return "日本語 " + a.word() + " 😀" },
	)
}

func (a *author) sentence() string { return a.many(6, " ", func() string { return a.inline(2) }) }

func (a *author) indented(by, text string) string {
	return strings.TrimPrefix(regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(text, by+"$1"), by)
}

// blocks writes blocks, within at most so many others.
func (a *author) blocks(depth int) string {
	return a.many(4, "\n\n", func() string { return a.block(depth) })
}

func (a *author) block(depth int) string {
	code := func() string {
		return a.many(4, "\n", func() string { return "  " + a.word() + " **" + a.word() + "**" })
	}
	kinds := []func() string{
		func() string { return a.many(3, "\n", a.sentence) },
		func() string { return a.many(3, "\n", a.sentence) },
		func() string { return strings.Repeat("#", 1+a.IntN(6)) + " " + a.sentence() },
		func() string { return a.word() + " " + a.sentence() + "\n---" },
		func() string { return "```\n" + code() + "\n```" },
		func() string { return "~~~~ go\n" + code() + "\n```\n~~~~" },
		func() string { return "***" },
		func() string { return "<div>" + a.word() + "\n</div>" },
		func() string { return a.table() },
	}
	if depth > 0 {
		kinds = append(kinds,
			func() string { return "> " + a.quoted(a.blocks(depth-1)) },
			func() string {
				return a.many(3, "\n", func() string { return "- " + a.indented("  ", a.blocks(depth-1)) })
			},
			func() string {
				return a.many(3, "\n", func() string { return "1. " + a.indented("   ", a.blocks(depth-1)) })
			},
			func() string { return a.many(3, "\n", func() string { return "- [x] " + a.sentence() }) },
		)
	}
	return kinds[a.IntN(len(kinds))]()
}

func (a *author) quoted(text string) string { return strings.ReplaceAll(text, "\n", "\n> ") }

func (a *author) table() string {
	n := 1 + a.IntN(4)
	row := func(cell func() string) string {
		var cells []string
		for range n {
			cells = append(cells, cell())
		}
		return "| " + strings.Join(cells, " | ") + " |"
	}
	above := "" // a line of text right above belongs to another block
	if a.IntN(3) == 0 {
		above = a.sentence() + "\n"
	}
	rows := ""
	if a.IntN(3) > 0 {
		rows = "\n" + a.many(4, "\n", func() string { return row(a.sentence) })
	}
	below := []string{"", "\n---", "\n===", "\n***", "\n# " + a.sentence()}[a.IntN(5)]
	return above + row(a.word) + "\n" + row(func() string { return ":--" }) + rows + below
}

var wordsOf = regexp.MustCompile(`w\d+`)

// All words of the source are on the screen, in order; where columns are narrow, all their characters are (behaviour 281).
func TestWords(t *testing.T) {
	for seed := range *rounds {
		a := &author{Rand: rand.New(rand.NewPCG(1, uint64(seed)))}
		source := a.blocks(3)
		if len(source) > Max {
			continue
		}
		wide := render(source, 10_000)
		check(t, wide)
		if got, want := wordsOf.FindAllString(textOf(wide), -1), wordsOf.FindAllString(source, -1); !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %v, want %v, of\n%s\nas\n%s", seed, got, want, source, textOf(wide))
		}
		narrow := render(source, 30+a.IntN(60))
		check(t, narrow)
		if got, want := letters(textOf(narrow)), letters(textOf(wide)); got != want {
			t.Fatalf("seed %d: other characters, of\n%s\nas\n%s", seed, source, textOf(narrow))
		}
	}
}

// letters returns the characters of words in order of the alphabet.
func letters(text string) string {
	found := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), ""))
	slices.Sort(found)
	return string(found)
}

func textOf(p Page) string {
	var lines []string
	for _, r := range p.Rows {
		lines = append(lines, r.Right+" "+r.Text)
	}
	return strings.Join(lines, "\n")
}

// check checks what is true of each page.
func check(t *testing.T, p Page) {
	t.Helper()
	last := 0
	for i, r := range p.Rows {
		if strings.Contains(r.Text, "\n") {
			t.Fatalf("row %d has a line end: %q", i, r.Text)
		}
		if r.Source < last {
			t.Fatalf("row %d comes from line %d, the one before from %d", i, r.Source, last)
		}
		last = r.Source
		for _, s := range r.Spans {
			if s.From < 0 || s.From >= s.To || s.To > len(r.Text) || utf8.ValidString(r.Text) && !utf8.ValidString(r.Text[s.From:s.To]) {
				t.Fatalf("row %d %q has the span %v", i, r.Text, s)
			}
		}
		for _, l := range r.Links {
			if l.From < 0 || l.From >= l.To || l.To > len(r.Text) {
				t.Fatalf("row %d %q has the link %v", i, r.Text, l)
			}
		}
	}
	for _, c := range p.Codes {
		if c.From > c.To || c.To > len(p.Rows) || c.To-c.From != len(c.Lines) {
			t.Fatalf("code block %v of %d rows", c, len(p.Rows))
		}
	}
}

// Text without markup is written as the parser would have it.
func TestPlain(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(3, seed))
		var b strings.Builder
		for range 1 + r.IntN(30) {
			b.WriteString([]string{"a", "word ", "two words. ", "\n", "\n", "\n\n", "  \n", strings.Repeat("long ", 14), "é", "日本", "(1) "}[r.IntN(11)])
		}
		source := strings.Trim(b.String(), " \n")
		plain := Render(source, Options{Width: 80, Glyphs: glyphs})
		parsed := newPrinter(source, Options{Width: 80, Glyphs: glyphs})
		parsed.parse(nil)
		if got, want := told(plain, true), told(parsed.page, true); got != want {
			t.Fatalf("%q: got\n%s\nwant\n%s", source, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	a := &author{Rand: rand.New(rand.NewPCG(2, 2))}
	for range 20 {
		f.Add(a.blocks(2), 40)
	}
	f.Add("> - 1. [x] `a", 3)
	f.Fuzz(func(t *testing.T, source string, width int) {
		if len(source) < 4<<10 {
			check(t, render(source, width%500))
		}
	})
}
