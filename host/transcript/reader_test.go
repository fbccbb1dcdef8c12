package transcript

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/marks"
)

// seen is a line as a window shows it, without what is hidden.
func seen(line string, grows bool) string {
	return without(line, styleMarkdown(&reader{grows: grows}, line, 0, nil))
}

// without is a line without what is hidden of it.
func without(line string, list marks.List) string {
	shown := []byte(line)
	slices.SortStableFunc(list, func(a, b marks.Mark) int { return b.From - a.From })
	for _, m := range list {
		if m.Group == hidden {
			shown = slices.Delete(shown, m.From, m.To)
		}
	}
	return string(shown)
}

// Markup of a line is hidden as soon as it is said, so that it does not flash before the part is rendered.
func TestMarkupOfGrowingText(t *testing.T) {
	for _, tt := range []struct{ line, grows, over string }{
		{"use `go te", "use go te", "use `go te"},
		{"use `go test` and `x`", "use go test and x", "use go test and x"},
		{"``a ` b``", "a ` b", "a ` b"},
		{"`", "", "`"},
		{"a **bold", "a bold", "a **bold"},
		{"a **bold** word", "a bold word", "a bold word"},
		{"an *italic", "an italic", "an *italic"},
		{"2 * 3 * 4", "2 * 3 * 4", "2 * 3 * 4"},
		{"snake_case_name", "snake_case_name", "snake_case_name"},
		{"- [x] done", "- [x] done", "- [x] done"},
		{"see [the docs](https://exa", "see the docs", "see [the docs](https://exa"},
		{"see [the docs](https://example.org) now", "see the docs now", "see the docs now"},
		{"a[0](x y", "a[0](x y", "a[0](x y"},
		{"## A `head", "A head", "A `head"},
		{"# A `head`", "A head", "A head"},
		{"#no head", "#no head", "#no head"},
	} {
		if got := seen(tt.line, true); got != tt.grows {
			t.Errorf("%q while it grows: %q, want %q", tt.line, got, tt.grows)
		}
		if got := seen(tt.line, false); got != tt.over {
			t.Errorf("%q that is over: %q, want %q", tt.line, got, tt.over)
		}
	}
}

// Blocks of code in a prompt, as those of notes, are shown without their fences, and what is in them mentions nothing (behaviour 1431).
func TestCodeOfPrompt(t *testing.T) {
	var state reader
	for _, tt := range []struct{ line, shown, group string }{
		{"look at @here:", "look at @here:", "AcpMention"},
		{"```go", "go", "AcpFence"},
		{"a @b `c`", "a @b `c`", "AcpCodeBlock"},
		{"", "", ""},
		{"```", "", ""},
		{"  ~~~~", "  ", ""},
		{"```", "```", "AcpCodeBlock"},
		{"  ~~~~", "  ", ""},
		{"and at @there", "and at @there", "AcpMention"},
		{"```", "", ""},
	} {
		list := stylePrompt(&state, tt.line, 0, nil)
		group := ""
		for _, m := range list {
			if m.Group != hidden {
				group += m.Group
			}
		}
		if got := without(tt.line, list); got != tt.shown || group != tt.group {
			t.Errorf("%q: %q in %q, want %q in %q", tt.line, got, group, tt.shown, tt.group)
		}
	}
}
