package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Frame returns pending operations of about budget bytes and marks them as drawn; Dirty then reports whether there are more.
func (t *Transcript) Frame(budget int) []Op {
	if len(t.dirty) > 0 { // alone: the end of what is drawn anew is to be seen at once
		return t.frame(budget)
	}
	return t.frameAbove(budget)
}

// frame returns the operations of what is drawn in order.
func (t *Transcript) frame(budget int) (ops []Op) {
	for len(t.dirty) > 0 && budget > 0 {
		b := t.dirty[0]
		new, more := t.draw(b, budget)
		for _, op := range new {
			op.ID = b.ID
			budget -= op.Cost()
			ops = append(ops, op)
		}
		if more {
			return ops
		}
		b.queued = false
		t.dirty = t.dirty[1:]
	}

	return ops
}

// frameAbove draws blocks above those that are drawn, the last of them first. Of one that is too large the rest is drawn in order.
func (t *Transcript) frameAbove(budget int) []Op {
	if len(t.above) == 0 {
		return nil
	}

	before := t.blocks[len(t.above)].ID
	var drawn [][]Op
	for len(t.above) > 0 && budget > 0 {
		b := t.above[len(t.above)-1]
		t.above = t.above[:len(t.above)-1]
		ops, more := t.draw(b, budget)
		for i := range ops {
			ops[i].ID = b.ID
			budget -= ops[i].Cost()
		}

		ops[0].Before = before
		drawn = append(drawn, ops)
		if more {
			t.dirty = append([]*Block{b}, t.dirty...)
			break
		}

		b.queued = false
	}

	slices.Reverse(drawn)
	return slices.Concat(drawn...)
}

func (t *Transcript) draw(b *Block, budget int) (ops []Op, more bool) {
	switch b.Kind {
	case User:
		return t.drawPrompt(b, budget)
	case Agent:
		return t.drawRendered(b, budget, styleMarkdown)
	case Thought:
		return t.drawThought(b, budget)
	}

	op, rows, more := change(b.rows, t.rows(b), budget)
	if op == nil && b.drawn {
		return nil, false
	}
	if op == nil {
		op = &Op{}
	}

	b.rows, b.drawn = rows, true
	if d := t.data(b, rows); b.sent == nil || !d.equal(b.sent) {
		op.Data, b.sent = d, d
	}

	return []Op{*op}, more
}

// drawRendered draws the new lines of an agent's text or thought, and the parts of it that are rendered.
func (t *Transcript) drawRendered(b *Block, budget int, style styler) (ops []Op, more bool) {
	text := &b.text
	text.renders = true
	if text.finished && text.seen != len(text.text) {
		text.rewind()
	}
	if !b.drawn || text.seen != len(text.text) {
		ops, more = t.drawProse(b, budget, style)
	}
	if !more {
		t.queueParts(b)
	}
	if more || len(text.ready) == 0 {
		return ops, more
	}
	for _, op := range ops {
		budget -= op.Cost()
	}

	rendered, more := text.drawParts(b.lead(), budget)
	return append(ops, rendered...), more
}

// queueParts has those parts of an agent's text rendered that are over: once it is closed and drawn, also the last.
func (t *Transcript) queueParts(b *Block) {
	text := &b.text
	if b.closed && b.drawn && text.seen == len(text.text) {
		text.finish()
	}
	t.jobParts(b, text.fresh())
	t.jobParts(b, text.refer())
}

func (t *Transcript) jobParts(b *Block, parts []*part) {
	for _, q := range parts {
		t.work.jobs = append(t.work.jobs, &Job{block: b, part: q})
	}
}

// rows draws a block of a kind that is drawn whole.
func (t *Transcript) rows(b *Block) []row {
	var rows []row
	if b.gap {
		rows = append(rows, row{})
	}
	switch b.Kind {
	case ToolUse:
		return t.itemRows(rows, b.items, 0)
	case Plan:
		return append(rows, t.planRows(b)...)
	case Fault:
		return append(rows, t.faultRows(b)...)
	case TurnEnd:
		return append(rows, t.turnEndRow(b))
	case Message:
		return append(rows, t.messageRows(b)...)
	}

	tone := b.tone
	if tone == "" {
		tone = "AcpNotice"
	}
	for _, line := range strings.Split(b.text.String(), "\n") {
		r := row{text: broken(line)[0]}
		r.mark(0, len(r.text), tone)
		rows = append(rows, r)
	}

	return rows
}

func (t *Transcript) planRows(b *Block) []row {
	done := 0
	for _, e := range b.plan {
		if e.Status == string(acp.PlanCompleted) {
			done++
		}
	}

	rows := []row{t.foldHead(b, fmt.Sprintf("Plan, %d of %d done", done, len(b.plan)))}
	if !t.shows(b) {
		return rows
	}
	for _, e := range b.plan {
		r := row{text: indent + e.Text}
		icon, group := t.opts.Icons.Pending, "AcpPlanPending"
		switch e.Status {
		case string(acp.PlanCompleted):
			icon, group = t.opts.Icons.Done, "AcpPlanDone"
			r.mark(len(indent), len(r.text), "AcpDone")
		case string(acp.PlanInProgress):
			icon, group = t.opts.Icons.Now, "AcpPlanNow"
		}
		r.icon(len(indent), icon, group)
		rows = append(rows, r)
	}

	return rows
}

// Pinned returns the steps of the running turn's plan, nil if there is none or it is complete.
func (t *Transcript) Pinned() []PlanEntry {
	if t.running.plan == nil {
		return nil
	}
	for _, e := range t.running.plan.plan {
		if e.Status != string(acp.PlanCompleted) {
			return t.running.plan.plan
		}
	}
	return nil
}

func (t *Transcript) faultRows(b *Block) []row {
	first, rest, _ := strings.Cut(b.text.String(), "\n")
	head := row{text: broken(plain.Visible(first))[0]}
	head.mark(0, len(head.text), "AcpError")
	rows := []row{head}
	if rest == "" {
		return rows
	}
	if !t.shows(b) {
		rows[0].icon(0, t.opts.Icons.Closed, "AcpError")
		return rows
	}
	return append(rows, outputRows(rest)...)
}

func (t *Transcript) data(b *Block, rows []row) *Data {
	d := &Data{Kind: string(b.Kind), Folds: b.folds(), Open: t.shows(b)}
	if b.gap {
		d.Head = 1
	}
	for i, r := range rows {
		if r.head != "" {
			d.Parts = append(d.Parts, Part{Row: i, ID: r.head, Folds: r.folds, Open: r.open, Terminals: r.terminals})
		}
	}
	return d
}

// lead returns the lines before the text of a block: the gap, and a thought's head.
func (b *Block) lead() int {
	n := 0
	if b.gap {
		n++
	}
	if b.Kind == Thought {
		n++
	}
	return n
}

// drawProse draws the new part of a growing text.
func (t *Transcript) drawProse(b *Block, budget int, style styler) ([]Op, bool) {
	from, lines, list, more := b.text.draw(budget, style)
	op := Op{From: b.lead() + from, Lines: lines, Marks: list}
	if b.Kind == User {
		t.tint(&op)
	}
	if !b.drawn {
		op = b.first(op)
		op.Data = t.data(b, nil)
	}
	b.drawn = true
	return []Op{op}, more
}

// first puts the lead before the first lines of a block.
func (b *Block) first(op Op) Op {
	lead := make([]string, b.lead())
	op.From -= len(lead)
	op.Lines = append(lead, op.Lines...)
	op.Marks.Move(len(lead), 0)
	for i := range op.Virt {
		op.Virt[i].Row += len(lead)
	}
	return op
}

func (t *Transcript) drawThought(b *Block, budget int) (ops []Op, more bool) {
	shown := t.shows(b)
	if b.drawn && b.shown && !shown { // closed: only the head stays
		ops = append(ops, Op{From: b.lead(), Lines: []string{}})
		b.text.rewind()
	}
	switch {
	case shown:
		b.text.tone = thought
		new, left := t.drawRendered(b, budget, styleThought)
		ops, more = append(ops, new...), left
	case !b.drawn:
		ops = append(ops, b.first(Op{From: b.lead(), Lines: []string{}}))
		b.drawn = true
	}

	b.shown = shown
	head := t.thoughtHead(b)
	if len(b.rows) == 0 || !b.rows[0].equal(head) || len(ops) > 0 && ops[0].From == 0 {
		op := Op{From: b.lead() - 1, To: b.lead(), Data: t.data(b, nil)}
		op.fill([]row{head})
		ops = append(ops, op)
		b.rows = []row{head}
	}

	return ops, more
}

func (t *Transcript) thoughtHead(b *Block) row {
	r := row{text: "Thinking"}
	if b.closed && b.began.IsZero() {
		r.text = "Thought"
	} else if b.closed {
		r.text = fmt.Sprintf("Thought for %d s", max(int(b.ended.Sub(b.began).Seconds()+0.5), 1))
	}

	icon := t.opts.Icons.Closed
	if t.shows(b) {
		icon = t.opts.Icons.Open
	}

	r.mark(0, len(r.text), thought)
	r.icon(0, icon, thought)
	return r
}
