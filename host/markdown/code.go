package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// fenced writes the lines of a block of code between fences, with its language at the right of the first one, if it names one.
func (p *printer) fenced(n *ast.FencedCodeBlock) {
	at := max(p.first(n), 0)
	p.shown[at] = true
	language, info := "", ""
	if n.Info != nil {
		language, info = string(n.Language(p.source)), string(n.Info.Segment.Value(p.source))
	}

	lines := p.codeLines(n)
	p.code(language, info, lines, at+1)

	after := at + 1 + len(lines)
	if after < len(p.lines) && strings.Trim(strings.TrimLeft(p.lines[after], "> \t"), "`~ \t\r") == "" {
		p.shown[after] = true
	}
}

func (p *printer) codeLines(n ast.Node) []string {
	lines := []string{}
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		lines = append(lines, strings.TrimRight(string(seg.Value(p.source)), "\r\n"))
	}
	return lines
}

// tab is how many cells a tab has in Neovim. Code with tabs begins at a multiple of it, else its first tabs would have less.
const tab = 4

// code writes lines of code, the first of which comes from a line of the source; info says what they are, for the user.
func (p *printer) code(language, info string, lines []string, source int) {
	before := 0 // cells
	for _, c := range p.within {
		before += Cells(c.rest)
	}
	if gap := tab - before%tab; gap < tab && slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "\t") }) {
		within := p.within
		pad := strings.Repeat(" ", gap)
		p.within = append(within, container{first: pad, rest: pad})
		defer func() { p.within = p.within[:len(within)] }()
	}

	spans := highlight.Code(language, lines)
	from := len(p.page.Rows)
	for i, text := range lines {
		l := line{source: min(max(source, 0)+i, len(p.lines)-1)}
		l.add(text)
		if i < len(spans) {
			l.spans = spans[i]
		}
		p.write([]line{l}, surface)
	}

	p.page.Codes = append(p.page.Codes, Block{from, len(p.page.Rows), lines})
	if len(lines) == 0 && info != "" {
		p.write([]line{{source: min(max(source-1, 0), len(p.lines)-1)}}, surface)
	}
	if len(p.page.Rows) > from {
		p.page.Rows[from].Right = strings.TrimSpace(info)
	}
}

// renderFence renders a long text that is nothing but a block of code between fences, or without the second one, without the parser.
// Another has no rows.
func renderFence(source string) Page {
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	info := strings.TrimLeft(lines[0], "`~")
	mark := lines[0][:len(lines[0])-len(info)]
	if len(mark) < 3 || strings.ContainsAny(info, "`~") {
		return Page{}
	}

	body := lines[1:]
	if last := len(body) - 1; last >= 0 && strings.TrimRight(body[last], " \t\r") == mark {
		body = body[:last]
	}
	for _, line := range body {
		if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
			return Page{} // its end, or the beginning of another
		}
	}

	p := &printer{lines: lines, shown: make([]bool, len(lines))}
	language, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	p.code(language, info, body, 1)
	return p.page
}
