// Package marks describes what is highlighted in lines that are shown, and encodes it for Neovim.
package marks

import (
	"github.com/neovim/go-client/msgpack"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// Line as the end of a mark means from its beginning to the edge of the window.
const Line = -1

// Mark is a highlighted part of a row. Rows count from 0; the span is in bytes, its end may be [Line].
type Mark struct {
	Row int
	highlight.Span
}

// New returns a mark from a byte of a row to another.
func New(row, from, to int, group string) Mark {
	return Mark{row, highlight.Span{From: from, To: to, Group: group}}
}

// List is the marks of some lines.
type List []Mark

// Add appends the spans of a row.
func (l *List) Add(row int, spans []highlight.Span) {
	for _, s := range spans {
		*l = append(*l, Mark{row, s})
	}
}

// Move moves all marks down by rows and right by columns. Whole lines stay whole.
func (l List) Move(rows, columns int) {
	for i := range l {
		m := &l[i]
		m.Row += rows
		m.Span = Right(m.Span, columns)
	}
}

// Right returns a span moved to the right. A whole line stays whole.
func Right(s highlight.Span, columns int) highlight.Span {
	if s.To != Line {
		s.To += columns
	}
	if s.To != Line || s.From > 0 {
		s.From += columns
	}
	return s
}

// fields are how many values of the encoding make a mark.
const fields = 4

// MarshalMsgPack encodes marks as one flat array: row, first column, end column, group of each. A table for each mark would
// cost Neovim more than the rest of a frame. lua/nvim-acp/ui/marks.lua decodes it.
func (l List) MarshalMsgPack(e *msgpack.Encoder) error {
	if err := e.PackArrayLen(int64(fields * len(l))); err != nil {
		return err
	}
	for _, m := range l {
		for _, n := range [...]int{m.Row, m.From, m.To} {
			if err := e.PackInt(int64(n)); err != nil {
				return err
			}
		}
		if err := e.PackString(m.Group); err != nil {
			return err
		}
	}

	return nil
}
