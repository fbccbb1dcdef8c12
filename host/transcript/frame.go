package transcript

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

func (w *painter) draw(b *Block, budget int) (ops []Op, more bool) {
	switch b.Kind {
	case User:
		return w.drawPrompt(b, budget)
	case Agent:
		return w.drawRendered(b, budget, styleMarkdown)
	case Thought:
		return w.drawThought(b, budget)
	}

	op, rows, more := change(b.rows, w.rows(b), budget)
	if op == nil && b.drawn {
		return nil, false
	}
	if op == nil {
		op = &Op{}
	}

	b.rows, b.drawn = rows, true
	if d := w.data(b, rows); b.sent == nil || !d.equal(b.sent) {
		op.Data, b.sent = d, d
	}

	return []Op{*op}, more
}

// drawRendered draws the new lines of an agent's text or thought, and the parts of it that are rendered.
func (w *painter) drawRendered(b *Block, budget int, style styler) (ops []Op, more bool) {
	text := &b.text
	text.renders = true
	if text.finished && text.seen != len(text.text) {
		text.rewind()
	}
	if !b.drawn || text.seen != len(text.text) {
		ops, more = w.drawProse(b, budget, style)
	}
	if !more {
		w.pending.queueParts(b)
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

// rows draws a block of a kind that is drawn whole.
func (w *painter) rows(b *Block) []row {
	var rows []row
	if b.gap {
		rows = append(rows, row{})
	}
	switch b.Kind {
	case ToolUse:
		return w.itemRows(rows, b.items, 0)
	case Plan:
		return append(rows, w.planRows(b)...)
	case Fault:
		return append(rows, w.faultRows(b)...)
	case TurnEnd:
		return append(rows, w.turnEndRow(b))
	case Message:
		return append(rows, w.messageRows(b)...)
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

func (w *painter) planRows(b *Block) []row {
	done := 0
	for _, e := range b.plan {
		if e.Status == string(acp.PlanCompleted) {
			done++
		}
	}

	rows := []row{w.foldHead(b, fmt.Sprintf("Plan, %d of %d done", done, len(b.plan)))}
	if !w.opts.shows(b) {
		return rows
	}
	for _, e := range b.plan {
		r := row{text: indent + e.Text}
		icon, group := w.opts.Icons.Pending, "AcpPlanPending"
		switch e.Status {
		case string(acp.PlanCompleted):
			icon, group = w.opts.Icons.Done, "AcpPlanDone"
			r.mark(len(indent), len(r.text), "AcpDone")
		case string(acp.PlanInProgress):
			icon, group = w.opts.Icons.Now, "AcpPlanNow"
		}
		r.icon(len(indent), icon, group)
		rows = append(rows, r)
	}

	return rows
}

func (w *painter) faultRows(b *Block) []row {
	first, rest, _ := strings.Cut(b.text.String(), "\n")
	head := row{text: broken(plain.Visible(first))[0]}
	head.mark(0, len(head.text), "AcpError")
	rows := []row{head}
	if rest == "" {
		return rows
	}
	if !w.opts.shows(b) {
		rows[0].icon(0, w.opts.Icons.Closed, "AcpError")
		return rows
	}
	return append(rows, outputRows(rest)...)
}

func (w *painter) data(b *Block, rows []row) *Data {
	d := &Data{Kind: string(b.Kind), Folds: b.folds(), Open: w.opts.shows(b)}
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

// drawProse draws the new part of a growing text.
func (w *painter) drawProse(b *Block, budget int, style styler) ([]Op, bool) {
	from, lines, list, more := b.text.draw(budget, style)
	op := Op{From: b.lead() + from, Lines: lines, Marks: list}
	if b.Kind == User {
		w.tint(&op)
	}
	if !b.drawn {
		op = b.first(op)
		op.Data = w.data(b, nil)
	}
	b.drawn = true
	return []Op{op}, more
}

func (w *painter) drawThought(b *Block, budget int) (ops []Op, more bool) {
	shown := w.opts.shows(b)
	if b.drawn && b.shown && !shown { // closed: only the head stays
		ops = append(ops, Op{From: b.lead(), Lines: []string{}})
		b.text.rewind()
	}
	switch {
	case shown:
		b.text.tone = thought
		new, left := w.drawRendered(b, budget, styleThought)
		ops, more = append(ops, new...), left
	case !b.drawn:
		ops = append(ops, b.first(Op{From: b.lead(), Lines: []string{}}))
		b.drawn = true
	}

	b.shown = shown
	head := w.thoughtHead(b)
	if len(b.rows) == 0 || !b.rows[0].equal(head) || len(ops) > 0 && ops[0].From == 0 {
		op := Op{From: b.lead() - 1, To: b.lead(), Data: w.data(b, nil)}
		op.fill([]row{head})
		ops = append(ops, op)
		b.rows = []row{head}
	}

	return ops, more
}

func (w *painter) thoughtHead(b *Block) row {
	r := row{text: "Thinking"}
	if b.closed && b.began.IsZero() {
		r.text = "Thought"
	} else if b.closed {
		r.text = fmt.Sprintf("Thought for %d s", max(int(b.ended.Sub(b.began).Seconds()+0.5), 1))
	}

	icon := w.opts.Icons.Closed
	if w.opts.shows(b) {
		icon = w.opts.Icons.Open
	}

	r.mark(0, len(r.text), thought)
	r.icon(0, icon, thought)
	return r
}

// turnEndRow draws it, all of it virtual: it is no part of what was said.
func (w *painter) turnEndRow(b *Block) row {
	var r row
	icon := w.opts.Icons.Done + " "
	if b.tone != "" {
		icon = strings.Repeat(" ", markdown.Cells(icon))
	}
	text := hung(b.text.String(), w.opts.Icons.Between(), markdown.Cells(icon), w.opts.Width)
	r.virt = []Virt{{At: "inline", Chunks: [][2]string{{icon, "AcpPlanDone"}, {text, "AcpDone"}}}}
	return r
}

// hung lays out parts of a text that is drawn in rows of a width: Neovim breaks virtual text anywhere. A part that has no room begins
// a row, behind as many cells as there are before the text.
func hung(text, between string, before, width int) string {
	var out strings.Builder
	used := before
	for i, part := range strings.Split(text, between) {
		cells := markdown.Cells(part)
		switch gap := markdown.Cells(between); {
		case i == 0:
		case used+gap+cells <= width:
			out.WriteString(between)
			used += gap
		default:
			out.WriteString(strings.Repeat(" ", max(width-used, 0)+before))
			used = before
		}
		out.WriteString(part)
		used += cells
	}
	return out.String()
}

// foldHead is the first row of a block that folds: a quiet text, behind a mark that says whether more is shown.
func (w *painter) foldHead(b *Block, text string) row {
	head := row{text: text}
	head.mark(0, len(head.text), "AcpDone")
	icon := w.opts.Icons.Closed
	if w.opts.shows(b) {
		icon = w.opts.Icons.Open
	}
	head.icon(0, icon, "AcpDone")
	return head
}

func (w *painter) messageRows(b *Block) []row {
	summary, text, _ := strings.Cut(b.text.String(), "\n")
	rows := []row{w.foldHead(b, broken(plain.Visible(summary))[0])}
	if !w.opts.shows(b) {
		return rows
	}

	rows = append(rows, outputRows(plain.Visible(text))...)
	for i := range rows[1:] {
		r := &rows[1+i]
		if group := patchGroup(strings.TrimPrefix(r.text, indent)); group != "" {
			r.mark(len(indent), len(r.text), group)
		}
	}

	return rows
}

// patchGroup is the highlight group of a line of a unified diff, "" if it is none that changes.
func patchGroup(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return ""
	case strings.HasPrefix(line, "+"):
		return diffGroup("+")
	case strings.HasPrefix(line, "-"):
		return diffGroup("-")
	}
	return ""
}
