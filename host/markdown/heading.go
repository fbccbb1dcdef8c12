package markdown

import (
	"slices"
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

func (p *printer) heading(n *ast.Heading) {
	lines := p.inline(n)
	if at := p.first(n); len(lines) == 0 && at >= 0 { // a heading without words
		lines = []line{{source: at}}
	}
	for i := range lines {
		whole := highlight.Span{From: 0, To: len(lines[i].text), Group: Heading(n.Level)}
		lines[i].spans = slices.Insert(lines[i].spans, 0, whole)
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
