package markdown

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/yuin/goldmark/ast"
)

// Heading is the highlight group of a heading, by its level from 1 on.
func Heading(level int) string {
	switch level {
	case 1:
		return "AcpHeading1"
	case 2:
		return "AcpHeading"
	}
	return "AcpHeading3"
}

// Words returns a span as it is to be highlighted: what is underlined without its blanks, since Neovim draws a blank at which it breaks a
// line to the edge of the window.
func Words(text string, s highlight.Span) []highlight.Span {
	if s.Group != link && s.Group != Heading(1) {
		return []highlight.Span{s}
	}

	var words []highlight.Span
	for at := s.From; at < s.To; {
		n := strings.IndexByte(text[at:s.To], ' ')
		if n < 0 {
			n = s.To - at
		}
		if n > 0 {
			words = append(words, highlight.Span{From: at, To: at + n, Group: s.Group})
		}
		at += n + 1
	}

	return words
}

func (p *printer) heading(n *ast.Heading) {
	lines := p.inline(n)
	if at := p.first(n); len(lines) == 0 && at >= 0 { // a heading without words
		lines = []line{{source: at}}
	}
	for i := range lines {
		whole := highlight.Span{From: 0, To: len(lines[i].text), Group: Heading(n.Level)}
		lines[i].spans = append(Words(string(lines[i].text), whole), lines[i].spans...)
	}
	p.write(lines, "")
	if next := p.last(n) + 1; next < len(p.lines) && p.underline(next) {
		p.shown[next] = true
	}
}

// underline reports whether a line is the lower one of a heading of two.
func (p *printer) underline(row int) bool {
	text := strings.Trim(p.lines[row], "> \t\r")
	return text != "" && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}
