package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// Text that grows is highlighted line by line as it goes by, a code block in it when its end has come. When it is over it is
// highlighted once and fully, as a diff is when it is first shown. That takes time, so the transcript only says what is to be done, and is told what came of it.

// Job is something to highlight. It is done outside the transcript's lock.
type Job struct {
	block *Block // of an agent's words
	code  *code  // of the block, which still grows
	item  *item  // of a diff
	view  *diffView
	diff  *acp.Diff
	lines []string
	spans [][]highlight.Span
}

// Job returns the next thing to highlight, nil if there is none.
func (t *Transcript) Job() *Job {
	for len(t.jobs) > 0 {
		j := t.jobs[0]
		t.jobs = t.jobs[1:]
		if j.block != nil && j.code == nil {
			if len(j.block.text.text) > longBlock {
				continue
			}
			j.lines = j.block.text.all()
		}
		return j
	}
	return nil
}

// Do does the work. It may take tenths of a second, and touches nothing of the transcript's.
func (j *Job) Do() {
	switch {
	case j.code != nil:
		j.spans = highlight.Code(j.code.language, strings.Split(j.code.text, "\n"))
	case j.block != nil:
		j.spans = highlight.Markdown(j.lines)
	default:
		j.spans = j.view.highlight(j.diff)
	}
}

// Done takes in what a job has found.
func (t *Transcript) Done(j *Job) {
	switch {
	case len(j.spans) == 0:
	case j.code != nil && (t.byID[j.block.ID] != j.block || j.block.closed): // all of it is highlighted then
	case j.code != nil:
		j.block.patches = append(j.block.patches, patch{j.code.row, j.spans})
		t.show(j.block)
	case j.block != nil && t.byID[j.block.ID] == j.block:
		j.block.fine, j.block.refined = j.spans, 0
		t.show(j.block)
	case j.item != nil && t.byID[j.item.block.ID] == j.item.block && j.item.call.views[j.diff] == j.view:
		j.view.spans = j.spans
		j.item.stale = true
		t.show(j.item.block)
	}
}

// refine has the words of an agent highlighted that are over.
func (t *Transcript) refine(b *Block) {
	if b.Kind == Agent && b.fine == nil {
		t.jobs = append(t.jobs, &Job{block: b})
	}
}

// patch is the highlighting of some lines of a block.
type patch struct {
	row   int
	spans [][]highlight.Span
}

// drawPatches puts the highlighting of code blocks on lines that are drawn, some at a time.
func (b *Block) drawPatches(budget int) (ops []Op, more bool) {
	for len(b.patches) > 0 && budget > 0 {
		p := &b.patches[0]
		if len(p.spans) == 0 || p.row+len(p.spans) > b.text.lines { // all is being drawn anew, and what is over is looked at again
			b.patches = b.patches[1:]
			continue
		}
		op := Op{From: b.lead() + p.row, Lines: []string{}}
		for op.Rows < len(p.spans) && budget > 0 {
			op.Marks = spanMarks(op.Marks, op.Rows, p.spans[op.Rows])
			budget -= markCost * (1 + len(p.spans[op.Rows]))
			op.Rows++
		}
		ops = append(ops, op)
		if p.row, p.spans = p.row+op.Rows, p.spans[op.Rows:]; len(p.spans) == 0 {
			b.patches = b.patches[1:]
		}
	}
	return ops, len(b.patches) > 0
}

// drawFine puts the full highlighting on lines that are drawn, some at a time.
func (b *Block) drawFine(budget int) (op Op, more bool) {
	from := b.refined
	op = Op{From: b.lead() + from, Lines: []string{}}
	for b.refined < len(b.fine) && budget > 0 {
		op.Marks = spanMarks(op.Marks, b.refined-from, b.fine[b.refined])
		budget -= markCost * (1 + len(b.fine[b.refined]))
		b.refined++
	}
	op.Rows = b.refined - from
	more = b.refined < len(b.fine)
	if !more {
		b.fine = nil // it is in the editor
	}
	return op, more
}

// markCost is what a mark counts for in a frame, in bytes of text.
const markCost = 24

func spanMarks(marks []any, row int, spans []highlight.Span) []any {
	for _, s := range spans {
		marks = mark(marks, row, s.From, s.To, s.Group)
	}
	return marks
}

// diffView is a diff as it is shown.
type diffView struct {
	lines          []diffLine
	added, deleted int
	asked          bool               // its highlighting is a job, or done
	spans          [][]highlight.Span // of the lines, once they are known
}

// view returns how a diff of the call is shown, worked out once.
func (c *Call) view(d *acp.Diff) *diffView {
	v := c.views[d]
	if v == nil {
		v = newView(d, 2)
		if c.views == nil {
			c.views = map[*acp.Diff]*diffView{}
		}
		c.views[d] = v
	}
	return v
}

func newView(d *acp.Diff, context int) *diffView {
	v := &diffView{lines: diffLines(d, context)}
	for _, l := range v.lines {
		switch l.sign {
		case "+":
			v.added++
		case "-":
			v.deleted++
		}
	}
	return v
}

// highlight finds the syntax of the lines that stay or are new, and the words that are. Lines that go keep one colour:
// many schemes know deleted text by its colour only.
func (v *diffView) highlight(d *acp.Diff) [][]highlight.Span {
	spans := make([][]highlight.Span, len(v.lines))
	code := highlight.Code(d.Path, textLines(d.NewText))
	for i, l := range v.lines {
		if n := l.number - 1; (l.sign == "+" || l.sign == " ") && n < len(code) {
			spans[i] = slices.Clone(code[n])
		}
	}
	for i := 0; i < len(v.lines); {
		gone, fresh := v.run(i, "-"), 0
		fresh = v.run(i+gone, "+")
		if gone == 0 || fresh == 0 {
			i += max(gone+fresh, 1)
			continue
		}
		old, new := highlight.Changes(v.texts(i, gone), v.texts(i+gone, fresh), "AcpDeleteText", "AcpAddText")
		for n, list := range slices.Concat(old, new) {
			spans[i+n] = append(spans[i+n], list...)
		}
		i += gone + fresh
	}
	return spans
}

// run is how many lines from one on have a sign.
func (v *diffView) run(from int, sign string) int {
	n := 0
	for from+n < len(v.lines) && v.lines[from+n].sign == sign {
		n++
	}
	return n
}

func (v *diffView) texts(from, n int) []string {
	var texts []string
	for _, l := range v.lines[from : from+n] {
		texts = append(texts, l.text)
	}
	return texts
}
