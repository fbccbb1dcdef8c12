package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
)

// Growing text is highlighted line by line, and a code block in it once it is complete. Complete text is highlighted once more,
// fully, and so is a diff when it is first shown. That takes time, so the transcript only hands out jobs, and applies their
// results.

// Job is a text to highlight. Do runs outside the transcript's lock.
type Job struct {
	block *Block // of an agent's text
	code  *code  // of the growing block
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

// Do computes the highlights. It may take tenths of a second, and does not access the transcript.
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

// Done applies the result of a job.
func (t *Transcript) Done(j *Job) {
	switch {
	case len(j.spans) == 0:
	case j.code != nil && (t.byID[j.block.ID] != j.block || j.block.closed): // the whole block is highlighted then
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

// refine queues the job for a complete text of the agent.
func (t *Transcript) refine(b *Block) {
	if b.Kind == Agent && b.fine == nil {
		t.jobs = append(t.jobs, &Job{block: b})
	}
}

// patch has the highlights of some lines of a block.
type patch struct {
	row   int
	spans [][]highlight.Span
}

// drawPatches adds the highlights of code blocks to drawn lines, some at a time.
func (b *Block) drawPatches(budget int) (ops []Op, more bool) {
	for len(b.patches) > 0 && budget > 0 {
		p := &b.patches[0]
		if len(p.spans) == 0 || p.row+len(p.spans) > b.text.lines { // the block is being redrawn, and completed code gets a new job
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

// drawFine adds the full highlights to drawn lines, some at a time.
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
		b.fine = nil // the editor has it
	}
	return op, more
}

// markCost is the cost of a mark in a frame, in bytes of text.
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
	asked          bool               // its highlighting is pending or done
	spans          [][]highlight.Span // of the lines, once computed
}

// view returns the view of a diff of the call, which is computed once.
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

// highlight computes the syntax of context and added lines, and the changed words. Deleted lines keep one colour, which is all
// that marks them in many schemes.
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

// run returns the number of lines from one on that have a sign.
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
