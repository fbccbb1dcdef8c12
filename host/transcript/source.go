package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// Source is a part of an agent's text, and a row of what it is rendered to.
type Source struct {
	Text    string
	Row     int
	options markdown.Options
}

// Link returns where a link at a byte of the row leads, "" if there is none. It may take some milliseconds.
func (s Source) Link(col int) string {
	page := markdown.Render(s.Text, s.options)
	if s.Row >= len(page.Rows) {
		return ""
	}
	for _, l := range page.Rows[s.Row].Links {
		if l.From <= col && col < l.To {
			return l.Target
		}
	}
	return ""
}

// Code returns the lines of the block of code at the row, nil if there is none. It may take some milliseconds.
func (s Source) Code() []string {
	for _, c := range markdown.Render(s.Text, s.options).Codes {
		if s.Row >= c.From && s.Row < c.To {
			return c.Lines
		}
	}
	return nil
}

// Source returns the Markdown that a row of an agent's text or thought comes from, the row within what it is rendered to, and whether there
// is any.
func (l *Blocks) Source(id string, row int) (s Source, ok bool) {
	b := l.byID[id]
	if b == nil || b.Kind != Agent && b.Kind != Thought {
		return Source{}, false
	}
	row -= b.lead()
	for _, q := range b.text.parts {
		if row < q.rows && row >= 0 && q.width > 0 {
			return Source{string(b.text.text[q.from:q.to]), row, b.text.options(l.opts, q.width)}, true
		}
		row -= q.rows
	}
	return Source{}, false
}

// Rendered returns Markdown as lines, with marks as those of an [Op]. A text that is too long stays as it is.
func Rendered(text string, icons Icons, width int) Op {
	page := markdown.Render(text, markdown.Options{Width: width, Glyphs: icons.glyphs()})
	var op Op
	if len(page.Rows) == 0 {
		op.Lines = strings.Split(text, "\n")
		return op
	}
	whole := prose{text: []byte(text)}
	op.fill(whole.renderedRows(&part{to: len(text), page: &page}))
	return op
}
