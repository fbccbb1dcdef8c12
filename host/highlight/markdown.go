package highlight

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Groups of Markdown.
const (
	heading   = "AcpHeading"
	bold      = "AcpBold"
	italic    = "AcpItalic"
	strike    = "AcpStrike"
	inline    = "AcpCode"
	codeBlock = "AcpCodeBlock"
	link      = "AcpLink"
	listMark  = "AcpList"
	quote     = "AcpQuote"
	markup    = "AcpFence" // Markdown's own markup
)

// maxMarkdown is the most bytes of Markdown that are highlighted.
const maxMarkdown = 32 << 10

// Markdown returns the spans of each line of a text, its code blocks in their languages. A span that is within another
// comes after it. They are nil for a text of more than 32 KiB: hostile ones take seconds.
func Markdown(lines []string) [][]Span {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	if size > maxMarkdown {
		return nil
	}
	p := page{lines: lines, source: []byte(strings.Join(lines, "\n")), spans: make([][]Span, len(lines))}
	at := 0
	for _, line := range lines {
		p.starts = append(p.starts, at)
		at += len(line) + 1
	}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(p.source))
	prune(doc, maxDepth)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no error of ours
		if entering {
			p.node(n)
		}
		return ast.WalkContinue, nil
	})
	for i, list := range p.spans {
		p.spans[i] = list[:min(len(list), maxSpans)]
	}
	return p.spans
}

// maxSpans is the most spans of a line: each is a mark in Neovim.
const maxSpans = 200

// maxDepth is the depth up to which nested nodes are visited: the end of a node is known only after a visit of all nodes in it.
const maxDepth = 32

// prune removes the nodes that are deeper within a node.
func prune(n ast.Node, depth int) {
	if depth == 0 {
		n.RemoveChildren(n)
		return
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		prune(child, depth-1)
	}
}

// page is a text whose tree is being walked.
type page struct {
	lines  []string
	starts []int // offset of each line
	source []byte
	spans  [][]Span
}

// row returns the line of an offset.
func (p *page) row(at int) int { return max(sort.SearchInts(p.starts, at+1)-1, 0) }

// mark marks the text between two offsets, on each line from its first character on.
func (p *page) mark(from, to int, group string) {
	for row := p.row(from); row < len(p.lines) && p.starts[row] < to; row++ {
		start, stop := max(from-p.starts[row], 0), min(to-p.starts[row], len(p.lines[row]))
		if from < p.starts[row] {
			start = len(p.lines[row]) - len(strings.TrimLeft(p.lines[row], " \t"))
		}
		if start < stop {
			p.spans[row] = append(p.spans[row], Span{start, stop, group})
		}
	}
}

// line marks a whole line.
func (p *page) line(row int, group string) {
	if row < len(p.lines) && p.lines[row] != "" {
		p.spans[row] = append(p.spans[row], Span{0, len(p.lines[row]), group})
	}
}

func (p *page) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		for row, last := p.row(n.Pos()), p.last(n); row <= last; row++ {
			p.line(row, heading)
		}
	case *ast.ThematicBreak:
		p.line(p.row(n.Pos()), markup)
	case *ast.Blockquote:
		if _, within := n.Parent().(*ast.Blockquote); within {
			return // its lines are marked
		}
		for row, last := p.row(n.Pos()), p.last(n); row <= last; row++ {
			p.line(row, quote)
		}
	case *ast.ListItem:
		at := n.Pos()
		if stop := bytes.IndexAny(p.source[at:], " \t\n"); stop > 0 {
			p.mark(at, at+stop, listMark)
		}
	case *ast.FencedCodeBlock:
		p.fenced(n)
	case *ast.CodeBlock:
		for i := range n.Lines().Len() {
			p.mark(n.Lines().At(i).Start, n.Lines().At(i).Stop, codeBlock)
		}
	case *table.Table:
		p.table(n)
	default:
		p.inline(n)
	}
}

// inline marks a node within a line.
func (p *page) inline(n ast.Node) {
	group := ""
	switch n := n.(type) {
	case *ast.Emphasis:
		group = italic
		if n.Level == 2 {
			group = bold
		}
	case *table.Strikethrough:
		group = strike
	case *ast.CodeSpan:
		group = inline
	case *ast.Link, *ast.Image, *ast.AutoLink:
		group = link
	case *table.TaskCheckBox:
		group = listMark
	default:
		return
	}
	p.mark(p.start(n), p.stop(n), group)
}

// start returns where an inline node begins, with its opening markup.
func (p *page) start(n ast.Node) int {
	switch n := n.(type) {
	case *ast.Emphasis:
		if child := n.FirstChild(); child != nil {
			return max(p.start(child)-n.Level, 0)
		}
	case *ast.AutoLink: // the space before it counts as its own
		return n.Pos() + max(bytes.Index(p.source[n.Pos():], n.Label(p.source)), 0)
	case *ast.Text:
		return n.Segment.Start
	}
	return n.Pos()
}

// stop returns where an inline node ends, with its closing markup.
func (p *page) stop(n ast.Node) int {
	at := p.start(n)
	if child := n.LastChild(); child != nil {
		at = max(at, p.stop(child))
	}
	rest := p.source[min(at, len(p.source)):]
	switch n := n.(type) {
	case *ast.Text:
		return n.Segment.Stop
	case *ast.Emphasis:
		return at + n.Level
	case *table.Strikethrough:
		return at + len(rest) - len(bytes.TrimLeft(rest, "~"))
	case *ast.CodeSpan:
		return at + len(rest) - len(bytes.TrimLeft(bytes.TrimLeft(rest, " "), "`"))
	case *ast.AutoLink:
		return at + len(n.Label(p.source))
	case *table.TaskCheckBox:
		return at + 3
	case *ast.Link, *ast.Image:
		return at + linkEnd(rest)
	}
	return at
}

// linkEnd returns the length of the closing markup of a link: `](…)`, `][…]` or `]`.
func linkEnd(rest []byte) int {
	end := bytes.IndexByte(rest, ']') + 1
	if end == 0 || end == len(rest) {
		return end
	}
	switch rest[end] {
	case '(':
		depth := 0
		for i, c := range rest[end:] {
			switch c {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				return end + i + 1
			}
		}
	case '[':
		return end + bytes.IndexByte(rest[end:], ']') + 1
	}
	return end
}

// fenced marks a code block: its fences, and its code as Code does.
func (p *page) fenced(n *ast.FencedCodeBlock) {
	first := p.row(n.Pos())
	p.line(first, markup)
	var code []string
	var rows, cols []int
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		row := p.row(seg.Start)
		code = append(code, strings.TrimRight(string(p.source[seg.Start:min(seg.Stop, len(p.source))]), "\n"))
		rows, cols = append(rows, row), append(cols, seg.Start-p.starts[row])
	}
	after := first + 1
	if len(rows) > 0 {
		after = rows[len(rows)-1] + 1
	}
	if after < len(p.lines) && strings.Trim(strings.TrimLeft(p.lines[after], "> \t"), "`~ \t") == "" {
		p.line(after, markup)
	}
	spans := Code(string(n.Language(p.source)), code)
	for i, line := range code {
		if spans == nil {
			p.mark(p.starts[rows[i]]+cols[i], p.starts[rows[i]]+cols[i]+len(line), codeBlock)
			continue
		}
		for _, s := range spans[i] {
			p.spans[rows[i]] = append(p.spans[rows[i]], Span{s.From + cols[i], s.To + cols[i], s.Group})
		}
	}
}

// table marks the lines between cells, and the words of the head.
func (p *page) table(n *table.Table) {
	first := p.row(n.Pos())
	for row, last := first, max(p.last(n), min(first+1, len(p.lines)-1)); row <= last; row++ {
		if row == first {
			p.line(row, bold)
		} else if row == first+1 {
			p.line(row, markup)
			continue
		}
		for i, c := range []byte(p.lines[row]) {
			if c == '|' {
				p.spans[row] = append(p.spans[row], Span{i, i + 1, markup})
			}
		}
	}
}

// last returns the last line of a block.
func (p *page) last(n ast.Node) int {
	row := p.row(max(n.Pos(), 0))
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		row = max(row, p.row(n.Lines().At(n.Lines().Len()-1).Start))
	}
	if t, ok := n.(*ast.Text); ok {
		row = max(row, p.row(t.Segment.Start))
	}
	if child := n.LastChild(); child != nil {
		row = max(row, p.last(child))
	}
	return row
}
