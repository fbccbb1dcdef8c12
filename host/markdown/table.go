package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	gfm "github.com/yuin/goldmark/extension/ast"

	"github.com/nvim-acp/nvim-acp/host/highlight"
)

const (
	between  = 2 // cells between columns
	minCells = 3 // of a column
)

// cell is the words of a cell, a line for each that its source has by <br>.
type cell []line

// table writes a table in columns: its head, a rule, its rows. What is wider than the room wraps within its column.
func (p *printer) table(n *gfm.Table) {
	p.page.Wide = true
	first := max(p.first(n), 0)
	var rows [][]cell
	var at []int // the line of each row, -1 if that is not known
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var cells []cell
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, p.inline(c))
		}
		if more := p.beyond(r); more != "" {
			last := &cells[len(cells)-1]
			*last = append(*last, line{text: []byte(more)})
		}
		rows, at = append(rows, cells), append(at, p.rowOf(r))
	}

	if len(rows) == 0 {
		return
	}

	widths := columns(rows, p.room())

	for i, row := range rows {
		source := first + i
		if i > 0 {
			source++ // after the line below the head
		}
		if at[i] >= 0 {
			source = at[i]
		}

		source = min(source, len(p.lines)-1)
		for _, l := range p.cells(row, widths, n.Alignments) {
			l.source = source
			if i == 0 {
				l.spans = append([]highlight.Span{{From: 0, To: len(l.text), Group: bold}}, l.spans...)
			}
			p.write([]line{l}, "")
		}

		if i == 0 {
			p.write([]line{ruled(p.glyphs.Rule, total(widths), min(first+1, len(p.lines)-1))}, "")
		}
	}
}

// untangle puts the text right above a table back there. With a line of = or - right below a table that has no rows goldmark takes both
// for a heading, and that comes behind the table.
func (p *printer) untangle(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Type() == ast.TypeInline {
			return
		}
		p.untangle(n)
		table, ok := n.PreviousSibling().(*gfm.Table)
		heading, isHeading := n.(*ast.Heading)
		if !ok || !isHeading || p.first(heading) >= p.first(table) {
			continue
		}

		text := ast.NewParagraph()
		text.SetPos(heading.Pos())
		text.SetLines(heading.Lines())
		for c := heading.FirstChild(); c != nil; c = heading.FirstChild() {
			text.AppendChild(text, c)
		}
		parent.InsertBefore(parent, table, text)
		if heading.Level == 2 {
			rule := ast.NewThematicBreak()
			rule.SetPos(p.starts[p.first(table)+2])
			parent.InsertAfter(parent, heading, rule)
			n = rule
		} else {
			n = table
		}
		parent.RemoveChild(parent, heading)
	}
}

// rowOf returns the line of a row of a table, -1 if all its cells are empty.
func (p *printer) rowOf(row ast.Node) int {
	if row == nil {
		return -1
	}
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		if lines := c.Lines(); lines != nil && lines.Len() > 0 {
			return p.row(lines.At(0).Start)
		}
	}
	return -1
}

// beyond returns what a row has in the source after the cells that its table has columns for. The parser leaves it out.
func (p *printer) beyond(row ast.Node) string {
	last := row.LastChild()
	if last == nil || last.Lines() == nil || last.Lines().Len() == 0 {
		return ""
	}
	end := last.Lines().At(0).Stop
	at := p.row(end)
	_, more, _ := strings.Cut(p.lines[at][end-p.starts[at]:], "|")
	more = strings.TrimSpace(more)
	return strings.TrimSpace(strings.TrimSuffix(more, "|"))
}

func total(widths []int) int {
	sum := between * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return max(sum, 1)
}

// columns returns the width of each column: as wide as its words, or where that is too much for the room, the wider ones less:
// words stay whole where they can, else their pieces do.
func columns(rows [][]cell, room int) []int {
	var widths, words, pieces []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths, words, pieces = append(widths, 1), append(words, 1), append(pieces, 1)
			}
			for _, l := range c {
				word, piece := l.longest()
				widths[i] = max(widths[i], Cells(string(l.text)))
				words[i], pieces[i] = max(words[i], min(word, room)), max(pieces[i], min(piece, room))
			}
		}
	}

	shrink(widths, words, room)
	shrink(widths, pieces, room)
	for i := range pieces { // where these are too wide they are broken
		pieces[i] = min(pieces[i], minCells)
	}

	shrink(widths, pieces, room)
	return widths
}

// shrink takes cells from the widest columns until all fit the room or none is wider than its least.
func shrink(widths, least []int, room int) {
	for over := total(widths) - room; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// Cells returns the lines of a row of a table.
func (p *printer) cells(row []cell, widths []int, aligned []gfm.Alignment) []line {
	var wrapped [][]line
	height := 1
	for i, c := range row {
		var lines []line
		for _, l := range c {
			lines = append(lines, l.wrap(widths[i])...)
		}
		wrapped = append(wrapped, lines)
		height = max(height, len(lines))
	}

	out := make([]line, height)
	for k := range out {
		l := &out[k]
		gap := 0 // cells that are still to be written before the next words
		for i := range wrapped {
			var part line
			if k < len(wrapped[i]) {
				part = wrapped[i][k]
			}

			left, right := pads(aligned, i, widths[i]-Cells(string(part.text)))
			if len(part.text) > 0 {
				l.add(strings.Repeat(" ", gap+left))
				l.join(part)
				gap = right
			} else {
				gap += widths[i]
			}

			gap += between
		}
	}

	return out
}

// pads returns the cells at both sides of a column's words.
func pads(aligned []gfm.Alignment, column, free int) (left, right int) {
	free = max(free, 0)
	if column < len(aligned) {
		switch aligned[column] {
		case gfm.AlignRight:
			return free, 0
		case gfm.AlignCenter:
			return free / 2, free - free/2
		}
	}
	return 0, free
}

// join adds another line at the end.
func (l *line) join(o line) {
	at := len(l.text)
	l.text = append(l.text, o.text...)
	for _, s := range o.spans {
		l.spans = append(l.spans, highlight.Span{From: s.From + at, To: s.To + at, Group: s.Group})
	}
	for _, k := range o.links {
		l.links = append(l.links, Link{k.From + at, k.To + at, k.Target})
	}
}
