// Package markdown renders Markdown, CommonMark with the extensions of GitHub, as rows of text with highlights.
//
// What marks up is left out: a row has the words, and [Row] says how they look, where links lead, and which line of the source
// they come from. Only tables and rules depend on the width; paragraphs are left for the reader's window to wrap. The package
// is pure: it knows neither sessions nor Neovim, and its functions may be called from any goroutine.
package markdown

import (
	"bytes"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gfm "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// The highlight groups of rows, beside those of code.
const (
	bold    = "AcpBold"
	italic  = "AcpItalic"
	strike  = "AcpStrike"
	code    = "AcpCode"
	surface = "AcpCodeSurface" // of a whole line
	link    = "AcpLink"
	mark    = "AcpList"     // of a list's item
	quote   = "AcpQuote"    // the words of a quotation
	bar     = "AcpQuoteBar" // a space over which the bar of a quotation is drawn, in each row that the line wraps to
	rule    = "AcpRule"     // lines of tables, between sections
	raw     = "AcpFence"    // markup that is shown as it is
)

// reader returns the parser, which is safe for concurrent use.
var reader = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// Max is the most bytes of Markdown that are rendered: hostile ones take seconds.
const Max = 32 << 10

const (
	maxRow   = 2 << 10 // bytes of a row; longer ones are broken, since Neovim takes long to wrap them
	maxSpans = 200     // of a row: each is a mark in Neovim
)

// maxDepth is the depth to which quotations and lists are indented. What is deeper stays at that indent.
const maxDepth = 12

// Render renders a text. One of more than [Max] bytes has no rows, unless it is a single block of code. It
// may take tenths of a second.
func Render(source string, o Options) Page {
	source = strings.ToValidUTF8(source, "\uFFFD")
	if len(source) > Max {
		return renderFence(source)
	}
	p := newPrinter(source, o)
	if !p.plain() {
		p.parse(o.References)
	}
	return p.page
}

func newPrinter(source string, o Options) *printer {
	p := &printer{source: []byte(source), width: max(o.Width, 10), glyphs: o.Glyphs, lines: strings.Split(source, "\n")}
	at := 0
	for _, line := range p.lines {
		p.starts = append(p.starts, at)
		at += len(line) + 1
	}
	p.shown = make([]bool, len(p.lines))
	return p
}

// parse writes the text, which may use links that are defined elsewhere.
func (p *printer) parse(references []Reference) {
	known := parser.NewContext()
	for _, r := range references {
		known.AddReference(r)
	}
	doc := reader().Parse(text.NewReader(p.source), parser.WithContext(known))
	p.untangle(doc)
	p.blocks(doc)
	p.remainder(len(p.lines))
	for _, r := range known.References() {
		if !slices.Contains(references, r) {
			p.page.References = append(p.page.References, r)
		}
	}
}

// printer writes the rows of a tree.
type printer struct {
	source []byte
	lines  []string
	starts []int // offset of each line
	width  int
	glyphs Glyphs

	page   Page
	within []container
	shown  []bool // lines of the source that are in the rows, or are nothing but markup
	done   int    // lines before this one are shown
}

// container is a quotation or an item that rows are in.
type container struct {
	first, rest string // before its first row, before the others
	group       string
	begun       bool
}

// row returns the line of an offset in the source.
func (p *printer) row(at int) int { return max(sort.SearchInts(p.starts, at+1)-1, 0) }

// blocks writes the children of a block.
func (p *printer) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if at := p.first(n); at >= 0 && at < len(p.lines) {
			p.remainder(at)
			if n.PreviousSibling() != nil && at > 0 && p.blank(at-1) {
				p.empty(at - 1)
			}
		}
		p.block(n)
	}
}

// blank reports whether a line of the source has nothing but the marks of quotations.
func (p *printer) blank(row int) bool { return strings.Trim(p.lines[row], "> \t\r") == "" }

// first returns the line in which a block begins, -1 if that is not known.
func (p *printer) first(n ast.Node) int {
	if table, ok := n.(*gfm.Table); ok { // one below a line of text has the place of that line
		if at := p.rowOf(table.FirstChild()); at >= 0 {
			return at
		}
	}
	if at := n.Pos(); at >= 0 {
		return p.row(at)
	}
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		return p.row(n.Lines().At(0).Start)
	}
	if child := n.FirstChild(); child != nil && child.Type() == ast.TypeBlock {
		return p.first(child)
	}

	return -1
}

// last returns the last line of a block that has lines, its first one otherwise.
func (p *printer) last(n ast.Node) int {
	if lines := n.Lines(); lines != nil && lines.Len() > 0 {
		return p.row(lines.At(lines.Len() - 1).Start)
	}
	return max(p.first(n), 0)
}

func (p *printer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		p.heading(n)
	case *ast.Paragraph, *ast.TextBlock:
		p.write(p.inline(n), "")
	case *ast.ThematicBreak:
		at := max(p.first(n), 0)
		p.page.Wide = true
		p.write([]line{ruled(p.glyphs.Rule, p.room(), at)}, "")
	case *ast.Blockquote:
		p.enter(container{first: "  ", rest: "  ", group: bar}, n)
	case *ast.List:
		p.blocks(n)
	case *ast.ListItem:
		p.item(n)
	case *ast.FencedCodeBlock:
		p.fenced(n)
	case *ast.CodeBlock:
		p.code("", "", p.codeLines(n), p.first(n))
	case *gfm.Table:
		p.table(n)
	case *ast.HTMLBlock, *ast.LinkReferenceDefinition:
		p.verbatim(n)
	default:
		p.blocks(n)
	}
}

// ruled is a line across.
func ruled(glyph string, width, source int) line {
	l := line{source: source}
	l.add(strings.Repeat(glyph, width))
	l.spans = append(l.spans, highlight.Span{From: 0, To: len(l.text), Group: rule})
	return l
}

// item writes an item of a list, after its bullet, number or box.
func (p *printer) item(n *ast.ListItem) {
	bullet, group := p.glyphs.Bullet, mark
	if list, ok := n.Parent().(*ast.List); ok && list.IsOrdered() {
		number := list.Start
		for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
			number++
		}
		bullet = strconv.Itoa(number) + string(list.Marker)
	}
	if box := boxOf(n); box != nil {
		bullet = p.glyphs.Open
		if box.IsChecked {
			bullet, group = p.glyphs.Done, "AcpPlanDone"
		}
	}

	c := container{first: bullet + " ", rest: strings.Repeat(" ", Cells(bullet)+1), group: group}
	if n.FirstChild() == nil || p.first(n.FirstChild()) < 0 { // an item without words
		p.within = append(p.within, c)
		p.write([]line{{source: max(p.first(n), 0)}}, "")
		p.within = p.within[:len(p.within)-1]
		return
	}

	p.enter(c, n)
}

// boxOf returns the check box that an item begins with, nil if it does not.
func boxOf(n ast.Node) *gfm.TaskCheckBox {
	if n.FirstChild() == nil {
		return nil
	}
	box, _ := n.FirstChild().FirstChild().(*gfm.TaskCheckBox)
	return box
}

// enter writes the children of a block within a container.
func (p *printer) enter(c container, n ast.Node) {
	if len(p.within) >= maxDepth {
		p.blocks(n)
		return
	}
	p.within = append(p.within, c)
	p.blocks(n)
	p.within = p.within[:len(p.within)-1]
}

// verbatim writes the lines of a block as they are.
func (p *printer) verbatim(n ast.Node) {
	for row, last := max(p.first(n), 0), p.last(n); row <= last; row++ {
		p.asIs(row)
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		if row := p.row(html.ClosureLine.Start); !p.shown[row] {
			p.asIs(row)
		}
	}
}

// asIs writes a line of the source.
func (p *printer) asIs(row int) {
	text := strings.TrimRight(p.lines[row], "\r")
	if len(p.within) > 0 {
		text = strings.TrimLeft(text, "> \t")
	}
	l := line{source: row}
	l.add(text)
	l.spans = append(l.spans, highlight.Span{From: 0, To: len(text), Group: raw})
	p.write([]line{l}, "")
}

// remainder writes the lines of the source before one that no block has, so that no word is lost.
func (p *printer) remainder(before int) {
	for ; p.done < before; p.done++ {
		if !p.shown[p.done] && !p.blank(p.done) {
			p.asIs(p.done)
		}
	}
}

// room returns the cells that the containers leave.
func (p *printer) room() int {
	room := p.width
	for _, c := range p.within {
		room -= Cells(c.rest)
	}
	return max(room, 10)
}

// empty writes a row without words.
func (p *printer) empty(source int) { p.write([]line{{source: source}}, "") }

// write adds rows for lines, after what their containers put before them. group is that of the whole lines.
func (p *printer) write(lines []line, group string) {
	for _, l := range lines {
		for len(l.text) > maxRow {
			at := breakAt(l.text)
			p.write([]line{l.part(0, at)}, group)
			l = l.part(at, len(l.text))
		}

		row := Row{Line: group, Source: p.sourceOf(l.source)}
		blank := len(l.text) == 0 && group == ""
		var b bytes.Buffer
		quoted, bars := false, 0 // bars: where the last one ends
		for i := range p.within {
			c := &p.within[i]
			text := c.rest
			if !c.begun && (!blank || c.group != bar && len(lines) == 1 && i == len(p.within)-1) {
				text, c.begun = c.first, true
			}
			if c.group == bar {
				quoted, bars = true, b.Len()+1
				row.Spans = append(row.Spans, highlight.Span{From: b.Len(), To: bars, Group: bar})
			} else if strings.TrimSpace(text) != "" {
				row.Spans = append(row.Spans,
					highlight.Span{From: b.Len(), To: b.Len() + len(strings.TrimRight(text, " ")), Group: c.group})
			}
			b.WriteString(text)
		}

		at := b.Len()
		b.Write(l.text)
		row.Text = b.String()
		if blank {
			row.Text = row.Text[:max(len(strings.TrimRight(row.Text, " ")), bars)]
		}
		if quoted && group == "" && len(l.text) > 0 {
			row.Spans = append(row.Spans, highlight.Span{From: at, To: len(row.Text), Group: quote})
		}
		for _, s := range l.spans {
			if to := min(s.To, len(l.text)); s.From < to && len(row.Spans) < maxSpans { // what was trimmed had spans
				row.Spans = append(row.Spans, highlight.Span{From: s.From + at, To: to + at, Group: s.Group})
			}
		}

		for _, k := range l.links {
			if to := min(k.To, len(l.text)); k.From < to {
				row.Links = append(row.Links, Link{k.From + at, to + at, k.Target})
			}
		}

		p.page.Rows = append(p.page.Rows, row)
	}
}

// sourceOf notes that a line of the source is shown, and returns it, or the one of the row before if that is later.
func (p *printer) sourceOf(row int) int {
	p.shown[row] = true
	if n := len(p.page.Rows); n > 0 {
		row = max(row, p.page.Rows[n-1].Source)
	}
	return row
}
