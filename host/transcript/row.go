package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
)

// Op replaces the lines From to To of a block (To 0: to its end), counted from its first line. A block that the editor
// does not know is added at the end.
type Op struct {
	ID     string     `msgpack:"id"`
	Before string     `msgpack:"before,omitempty"` // of a new block: the first of those drawn, above which it is; "": it is the last
	Amid   string     `msgpack:"amid,omitempty"`   // of a new block: any other that is drawn, above which it is
	From   int        `msgpack:"from"`
	To     int        `msgpack:"to,omitempty"`
	Lines  []string   `msgpack:"lines"`
	Rows   int        `msgpack:"rows,omitempty"`  // instead of Lines: this many lines from From on get new marks
	Marks  marks.List `msgpack:"marks,omitempty"` // their rows count from From
	Virt   virts      `msgpack:"virt,omitempty"`
	Data   *Data      `msgpack:"data,omitempty"`
	Again  bool       `msgpack:"again,omitempty"` // the lines show the text of those that they replace, rendered
	Map    []int      `msgpack:"map,omitempty"`   // for each line that is replaced the one of Lines with its text, from 0; nil: the same

	new bool // the editor does not know the block
}

// Size returns the bytes of an operation's text.
func (o *Op) Size() int {
	size := 0
	for _, line := range o.Lines {
		size += len(line) + 1
	}
	return size
}

// Cost returns what an operation takes of a frame's budget, in bytes of text that take Neovim as long.
func (o *Op) Cost() int { return o.Size() + opCost + markCost*len(o.Marks) + virtCost*len(o.Virt) }

// Cost returns what operations take of a frame's budget.
func (ops Ops) Cost() int {
	n := 0
	for i := range ops {
		n += ops[i].Cost()
	}
	return n
}

// Virt is text that is shown but not part of the lines.
type Virt struct {
	Row    int
	Col    int
	At     string // "sign", "inline", "over" or "right"
	Chunks [][2]string
}

// Data describes a block for the editor's keys.
type Data struct {
	Kind  string
	Head  int // row of its first line, after the gap
	Folds bool
	Open  bool
	Parts []Part // in the order of their rows
}

// Part is a section of a block, from its row to the next part's.
type Part struct {
	Row       int
	ID        string
	Folds     bool
	Open      bool
	Terminals []string
}

func (d *Data) equal(o *Data) bool {
	return d.Kind == o.Kind && d.Head == o.Head && d.Folds == o.Folds && d.Open == o.Open &&
		slices.EqualFunc(d.Parts, o.Parts, func(p, q Part) bool {
			return p.Row == q.Row && p.ID == q.ID && p.Folds == q.Folds && p.Open == q.Open && slices.Equal(p.Terminals, q.Terminals)
		})
}

// Place is a line (1-based, 0: none) of a file.
type Place struct {
	Path string `msgpack:"path"`
	Line int    `msgpack:"line"`
}

const iconSpace = "  " // before a text with an icon

// row is one line of a block that is drawn whole, with its marks and virtual text.
type row struct {
	text  string
	spans []highlight.Span // in the order in which they cover each other; to marks.Line: the whole line
	virt  []Virt
	place *Place

	head      string // the id of the part that begins here
	folds     bool
	open      bool
	terminals []string
}

func mostPad(width int) int { return max(0, width/2-len(indent)) }

// shift returns the row indented by cells.
func (r row) shift(pad int) row {
	if pad == 0 {
		return r
	}

	r.text = strings.Repeat(" ", pad) + r.text
	r.spans, r.virt = slices.Clone(r.spans), slices.Clone(r.virt)
	for i := range r.spans {
		r.spans[i] = marks.Right(r.spans[i], pad)
	}

	for i := range r.virt {
		if r.virt[i].At == "inline" || r.virt[i].At == "over" {
			r.virt[i].Col += pad
		}
	}

	return r
}

func (r row) equal(o row) bool {
	same := r.text == o.text && slices.Equal(r.spans, o.spans) && len(r.virt) == len(o.virt)
	for i := 0; same && i < len(r.virt); i++ {
		same = r.virt[i].At == o.virt[i].At && r.virt[i].Col == o.virt[i].Col && slices.Equal(r.virt[i].Chunks, o.virt[i].Chunks)
	}
	return same
}

func (r *row) mark(from, to int, group string) {
	r.spans = append(r.spans, highlight.Span{From: from, To: to, Group: group})
}

func (r *row) right(chunks ...[2]string) {
	if len(chunks) > 0 {
		r.virt = append(r.virt, Virt{At: "right", Chunks: chunks})
	}
}

// icon puts an icon before the text that begins at a column: over spaces, so that rows which wrap begin below the text.
func (r *row) icon(col int, icon, group string) {
	r.text = r.text[:col] + iconSpace + r.text[col:]
	for i := range r.spans {
		r.spans[i] = marks.Right(r.spans[i], len(iconSpace))
	}
	r.over(col, icon, group)
}

// over puts text over the spaces at a column.
func (r *row) over(col int, text, group string) {
	r.virt = append(r.virt, Virt{At: "over", Col: col, Chunks: [][2]string{{text, group}}})
}

// change returns the operation that turns the drawn rows into the new ones, nil if they are the same, and what is drawn then: the
// new ones or, if that is more than about a budget has room for, only the first of those that differ.
func change(old, rows []row, budget int) (op *Op, drawn []row, more bool) {
	from := 0
	for from < len(old) && from < len(rows) && old[from].equal(rows[from]) {
		from++
	}

	if from == len(old) && from == len(rows) {
		return nil, rows, false
	}

	tail := 0
	for tail < len(old)-from && tail < len(rows)-from && old[len(old)-1-tail].equal(rows[len(rows)-1-tail]) {
		tail++
	}

	op = &Op{From: from}
	if tail > 0 {
		op.To = len(old) - tail
		if op.To == 0 { // To 0 means the end: an insertion before everything replaces the first line
			tail--
			op.To = 1
		}
	}

	end := from
	for ; end < len(rows)-tail && (budget > 0 || end == from); end++ {
		budget -= rows[end].cost()
	}

	op.fill(rows[from:end])
	if end == len(rows)-tail {
		return op, rows, false
	}

	return op, slices.Concat(rows[:end], rows[len(rows)-tail:]), true
}

// cost is what a row takes of a frame's budget.
func (r row) cost() int { return len(r.text) + 1 + markCost*len(r.spans) + virtCost*len(r.virt) }

// fill adds rows after the lines of an operation, which has lines then, if only none.
func (op *Op) fill(rows []row) {
	from := len(op.Lines)
	op.Lines = append(make([]string, 0, from+len(rows)), op.Lines...)
	for i, r := range rows {
		i += from
		op.Lines = append(op.Lines, strings.ReplaceAll(r.text, "\n", " ")) // a line with a line end would fail the whole frame
		op.Marks.Add(i, r.spans)
		for _, v := range r.virt {
			v.Row = i
			op.Virt = append(op.Virt, v)
		}
	}
}

const (
	indent  = "    "
	gutter  = "      " // for the numbers of lines; with the sign eight cells, so that tabs are as wide as in the file
	maxRows = 400      // of one content of a call; the middle of a longer one is omitted
)

// maxCoded is how many lines of a text are highlighted at most: code is, as far as so many bytes.
const maxCoded = 64 << 10

// What takes of a frame's budget, in bytes of text that take Neovim as long: about 20 ns each.
const (
	opCost   = 512 // an operation, besides what is in it
	markCost = 64
	virtCost = 128
)
