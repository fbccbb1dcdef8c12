package edit

import (
	"cmp"
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
	old         [][]highlight.Span // the syntax of ours, up to the last line that goes
	language    string             // of code
	rough       bool               // it may be wrong about what began further up
}

// context is how many lines above a place are read for its syntax.
const context = 100

// Colour finds the highlights of lines that take the place of ours. It may take tens of milliseconds. Where the lines have grown since
// those of before, which may be nil, it does not look at all of them.
func Colour(r Request, ours, lines []string, before *Colours) *Colours {
	c := &Colours{ours: ours, lines: lines, words: make([][]highlight.Span, len(lines)), gone: make([][]highlight.Span, len(ours))}
	edits := buffers.Edits(ours, lines)
	c.findCode(r, before, newEnd(edits))

	c.findOld(r, before, edits)
	shift := 0
	for _, e := range edits {
		old, new := highlight.Changes(ours[e.Start:e.End], e.Lines, goneWord, addedWord)
		copy(c.gone[e.Start:], old)
		copy(c.words[e.Start+shift:], new)
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return c
}

// newEnd returns the line after the last that edits add.
func newEnd(edits []buffers.Edit) int {
	end, shift := 0, 0
	for _, e := range edits {
		end = e.Start + shift + len(e.Lines)
		shift += len(e.Lines) - (e.End - e.Start)
	}
	return end
}

// findCode finds the syntax of the lines up to end, as far as that is within bounds: the others are shown as the buffer has them.
func (c *Colours) findCode(r Request, before *Colours, end int) {
	c.language = cmp.Or(r.Path, r.Language)
	above := r.Before[max(0, len(r.Before)-context):]
	all := slices.Concat(above, c.lines[:end])
	all = all[:highlight.Within(all)]
	end = max(len(all)-len(above), 0)
	if known := c.same(before, end); len(known) > 0 {
		c.language = before.language
		if c.code, c.rough = highlight.More(c.language, known, c.lines[:end]); c.rough {
			return
		}
	}

	code := highlight.Code(c.language, all)
	if code == nil && c.language != r.Language {
		c.language = r.Language
		code = highlight.Code(c.language, all)
	}
	if len(code) > len(above) {
		c.code = code[len(above):]
	}
}

// findOld finds the syntax of ours up to the last line that edits take out, within the same bounds.
func (c *Colours) findOld(r Request, before *Colours, edits []buffers.Edit) {
	end := 0
	for _, e := range edits {
		if e.End > e.Start {
			end = e.End
		}
	}
	if before != nil && before.language == c.language && len(before.old) >= end && slices.Equal(before.ours, c.ours) {
		c.old = before.old
		return
	}

	above := r.Before[max(0, len(r.Before)-context):]
	all := slices.Concat(above, c.ours[:end])
	if code := highlight.Code(c.language, all[:highlight.Within(all)]); len(code) > len(above) {
		c.old = code[len(above):]
	}
}

// same returns the syntax of the first lines that is known from before. The last line of an answer may have been a part of one.
func (c *Colours) same(before *Colours, end int) [][]highlight.Span {
	if before == nil {
		return nil
	}
	n := 0
	for n < min(end, len(before.code), len(before.lines)) && before.lines[n] == c.lines[n] {
		n++
	}
	return before.code[:max(n-1, 0)]
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

// of returns the highlights of an old line, as far as they are known: its syntax, and the words that the new one lacks.
func (c *Colours) of(i int, line string) (code, words []highlight.Span) {
	if c == nil || i >= len(c.ours) || c.ours[i] != line {
		return nil, nil
	}
	if i < len(c.old) {
		code = c.old[i]
	}
	return code, c.gone[i]
}

// For reports whether the highlights are those of such a diff, and those of all of it if it is whole.
func (c *Colours) For(ours, lines []string, whole bool) bool {
	return c != nil && !(whole && c.rough) && slices.Equal(c.ours, ours) && slices.Equal(c.lines, lines)
}
