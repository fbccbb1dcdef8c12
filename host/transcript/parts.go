package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/markdown"
	"github.com/nvim-acp/nvim-acp/host/marks"
)

// An agent's text is drawn in its source, line by line as it comes. It is cut into parts: paragraphs, items of lists, blocks of
// code. A part that is over is rendered, which takes time, so that is a job; then its rows take the place of its lines.

const maxPart = 16 << 10 // bytes of a part where it can be cut

// part is a piece of a text that is over.
type part struct {
	from, to int // its bytes
	rows     int // of the editor that show it
	width    int // for which these are rendered; 0: they are its source
	wide     bool

	page   *markdown.Page // rendered, and not drawn
	bare   []row          // the last rows that are drawn: their highlights are not
	queued bool           // in prose.ready

	sources []int // the lines of it, from 0, that the drawn rows come from; nil: they are its lines
}

// opening is the part that is not over.
type opening struct {
	from  int  // its first byte
	rows  int  // drawn lines of it that are over
	list  bool // it is an item of a list, or indented code: a blank line does not end it
	code  bool // it is a block of code that nothing is around
	blank bool // the line before is blank
}

// note looks at a drawn line that is over, the text from one byte to another. before and after are what the reader knew around
// it. It cuts the parts that are over.
func (p *prose) note(line string, at, next int, before, after reader) {
	if at > 0 && p.text[at-1] != '\n' { // the rest of a line that was broken
		p.open.rows++
		return
	}

	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	blank, item := indent == len(line), listMark(line[indent:]) > 0
	outer := indent < 4 && !p.open.list // a fence here is within nothing

	cutBefore, cutAfter := false, false
	switch {
	case before.fence == "" && after.fence != "":
		cutBefore = outer || indent == 0
		outer = outer || cutBefore
	case before.fence != "":
		cutAfter = after.fence == "" && p.open.code
	case blank:
		cutAfter = !p.open.list
	case indent == 0:
		cutBefore = p.open.list && (p.open.blank || item) || at-p.open.from > maxPart
	}

	if cutBefore {
		p.cut(at)
	}
	switch {
	case before.fence == "" && after.fence != "":
		p.open.code = outer
	case before.fence == "" && (item || indent >= 4 && p.open.rows == 0):
		p.open.list = true
	}

	p.open.rows, p.open.blank = p.open.rows+1, blank
	if cutAfter {
		p.cut(next)
	}
}

// cut ends a part before a byte.
func (p *prose) cut(at int) {
	if at > p.open.from && p.open.rows > 0 {
		p.parts = append(p.parts, &part{from: p.open.from, to: at, rows: p.open.rows})
	}
	p.open = opening{from: at}
}

// finish ends the last part, of a text that has been drawn and gets no more.
func (p *prose) finish() {
	if p.finished || len(p.text) > longBlock {
		return
	}
	p.finished = true
	p.open.rows++ // the line that had no end
	p.cut(p.open.from + len(bytes.TrimRight(p.text[p.open.from:], "\n")))
}

const maxReferences = 100 // of a text

// learn notes links that a part defines; of those with the same label the first one counts.
func (p *prose) learn(found []markdown.Reference) {
	for _, r := range found {
		if len(p.references) == maxReferences {
			return
		}
		if !slices.ContainsFunc(p.references, func(o markdown.Reference) bool { return bytes.EqualFold(o.Label(), r.Label()) }) {
			p.references = append(p.references, r)
		}
	}
}

// refer returns the parts that may use links which other parts define, once all parts of a finished text are rendered.
func (p *prose) refer() []*part {
	waits := func(q *part) bool { return q.width == 0 }
	if !p.finished || p.referred == len(p.references) || slices.ContainsFunc(p.parts, waits) {
		return nil
	}

	p.referred = len(p.references)
	var list []*part
	for _, q := range p.parts {
		if bytes.IndexByte(p.text[q.from:q.to], '[') >= 0 {
			q.width = 0
			list = append(list, q)
		}
	}

	return list
}

// isOf reports whether a part is one of a text's, which may have been drawn anew.
func (p *prose) isOf(q *part) bool {
	for _, other := range p.parts {
		if other == q {
			return true
		}
	}
	return false
}

// fresh returns the parts that were cut since it was last called.
func (p *prose) fresh() []*part {
	list := p.parts[p.given:]
	p.given = len(p.parts)
	return list
}

// ready notes that a part is rendered.
func (p *prose) render(q *part, page markdown.Page, width int) {
	q.width, q.wide = width, page.Wide
	p.learn(page.References)
	if len(page.Rows) == 0 && !blankText(p.text[q.from:q.to]) {
		return // too long: its source stays
	}
	if page.Plain && q.page == nil && len(page.Rows) > 0 && p.asDrawn(q, page.Rows) {
		return
	}

	q.page, q.bare = &page, nil
	if !q.queued {
		q.queued = true
		p.ready = append(p.ready, q)
	}
}

// asDrawn reports whether the lines of a part are drawn as its rows would be.
func (p *prose) asDrawn(q *part, rows []markdown.Row) bool {
	text := p.text[q.from:q.to]
	for _, r := range rows {
		rest, ok := bytes.CutPrefix(text, []byte(r.Text))
		if !ok || len(rest) > 0 && rest[0] != '\n' {
			return false
		}
		text = bytes.TrimPrefix(rest, []byte("\n"))
	}
	return len(text) == 0 && q.rows == len(rows) || string(text) == "\n" && q.rows == len(rows)+1
}

func blankText(text []byte) bool { return len(strings.TrimSpace(string(text))) == 0 }

// drawParts draws rendered parts in place of their lines, some at a time; lead is how many lines precede the text.
func (p *prose) drawParts(lead, budget int) (ops []Op, more bool) {
	for len(p.ready) > 0 {
		if budget <= 0 {
			return ops, true
		}

		q := p.ready[0]
		op := p.drawPart(q, budget)
		op.From += lead
		if op.To > 0 {
			op.To += lead
		}

		ops = append(ops, op)
		budget -= op.Cost()
		if len(q.bare) == 0 {
			q.queued = false
			p.ready = p.ready[1:]
		}
	}

	return ops, false
}

// drawPart draws the rows of a part, or if they are drawn some of their highlights.
func (p *prose) drawPart(q *part, budget int) Op {
	start := 0
	for _, before := range p.parts {
		if before == q {
			break
		}
		start += before.rows
	}

	if q.page == nil { // only highlights
		n := coloured(q.bare, budget)
		op := Op{From: start + q.rows - len(q.bare)}
		op.fill(q.bare[:n])
		op.Lines, op.Rows, q.bare = []string{}, n, q.bare[n:]
		return op
	}

	rows := p.renderedRows(q)
	n := coloured(rows, budget)
	q.bare = rows[n:]
	op := Op{From: start, To: start + q.rows}
	op.fill(rows[:n])
	for _, r := range q.bare {
		op.Lines = append(op.Lines, r.text)
	}

	p.again(&op, q)
	p.lines += len(rows) - q.rows
	if q.to <= keptPart {
		p.head += len(rows) - q.rows
	} else if q.from < keptPart {
		p.head = start
	}

	q.rows, q.page = len(rows), nil
	return op
}

// coloured is how many rows a frame's budget has highlights for, at least one.
func coloured(rows []row, budget int) int {
	n := 0
	for n < len(rows) && (n == 0 || budget > 0) {
		budget -= rows[n].cost()
		n++
	}
	return n
}

// renderedRows returns the rows of a rendered part, with one more for the empty lines after it.
func (p *prose) renderedRows(q *part) []row {
	var rows []row
	for _, from := range q.page.Rows {
		r := row{text: printable([]byte(from.Text))}
		if p.tone != "" && from.Line == "" && r.text != "" {
			r.mark(0, len(r.text), p.tone)
		}
		if from.Line != "" { // code
			r.mark(0, marks.Line, from.Line)
		}
		for _, s := range from.Spans {
			r.mark(s.From, s.To, s.Group)
		}

		if from.Right != "" {
			r.right([2]string{from.Right, "AcpCodeLanguage"})
		}

		rows = append(rows, r)
	}

	source := p.text[q.from:q.to]
	switch before := p.text[:q.from]; {
	case len(rows) > 0 && endsBlank(source), len(rows) == 0 && q.from > 0 && !endsBlank(before):
		rows = append(rows, row{})
	}

	return rows
}

// endsBlank reports whether the last line of a text is blank.
func endsBlank(text []byte) bool {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])) == 0
}
