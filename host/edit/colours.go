package edit

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// Groups of marks.
const (
	added     = "AcpReviewAdd"
	addedWord = "AcpReviewAddText"
	goneWord  = "AcpReviewDeleteText"
)

// Colours are the highlights of a diff, which take longer to find than the diff itself.
type Colours struct {
	ours, lines []string // what they are for
	code, words [][]highlight.Span
	gone        [][]highlight.Span // of ours
}

// context is how many lines above a place are read for its syntax.
const context = 100

// Colour finds the highlights of lines that take the place of ours. It may take tens of milliseconds.
func Colour(r Request, ours, lines []string) *Colours {
	before := r.Before[max(0, len(r.Before)-context):]
	all := make([]string, 0, len(before)+len(lines))
	all = append(append(all, before...), lines...)
	language := r.Path
	if language == "" {
		language = r.Language
	}
	c := &Colours{ours: ours, lines: lines, words: make([][]highlight.Span, len(lines)), gone: make([][]highlight.Span, len(ours))}
	code := highlight.Code(language, all)
	if code == nil {
		code = highlight.Code(r.Language, all)
	}
	if code != nil {
		c.code = code[len(before):]
	}

	shift := 0
	for _, e := range buffers.Edits(ours, lines) {
		old, new := highlight.Changes(ours[e.Start:e.End], e.Lines, goneWord, addedWord)
		copy(c.gone[e.Start:], old)
		copy(c.words[e.Start+shift:], new)
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return c
}

// at returns the highlights of a new line, as far as they are known: its syntax, and its new words.
func (c *Colours) at(i int, line string) (code, words []highlight.Span) {
	if c == nil || i >= len(c.lines) || c.lines[i] != line {
		return nil, nil
	}
	if i < len(c.code) {
		code = c.code[i]
	}
	return code, c.words[i]
}

// of returns the words of an old line that the new one lacks.
func (c *Colours) of(i int, line string) []highlight.Span {
	if c == nil || i >= len(c.ours) || c.ours[i] != line {
		return nil
	}
	return c.gone[i]
}

// For reports whether the highlights are those of such a diff.
func (c *Colours) For(ours, lines []string) bool {
	return c != nil && slices.Equal(c.ours, ours) && slices.Equal(c.lines, lines)
}
