package transcript

import (
	"slices"
	"strings"
)

// endBlocks is how many blocks at the end are drawn first when all are drawn anew: more than a screen, in most cases.
const endBlocks = 20

// Drawing is what is to be drawn of a transcript.
type Drawing struct {
	opts    *Options
	blocks  *Blocks
	pending *pending
	painter painter
	ahead   Ops // of the next frame, see Ahead
}

// Dirty reports whether there is something to draw.
func (d *Drawing) Dirty() bool {
	return len(d.ahead)+len(d.pending.above) > 0 || d.pending.next() != nil
}

// Behind reports whether there is something to draw other than what comes after all else: what is rendered or highlighted, and the
// beginning of a transcript that is drawn anew.
func (d *Drawing) Behind() bool { return len(d.pending.dirty) > 0 }

// Redraw marks everything as not drawn, since the editor has lost its copy. The end of a long transcript is drawn first.
func (d *Drawing) Redraw() {
	for _, b := range d.blocks.list {
		b.drawn, b.shown, b.rows, b.sent = false, false, nil, nil
		b.text.rewind()
		b.queued = drawnFirst
	}
	d.ahead, d.pending.fine = nil, nil
	first := max(0, len(d.blocks.list)-endBlocks)
	d.pending.above, d.pending.dirty = slices.Clone(d.blocks.list[:first]), slices.Clone(d.blocks.list[first:])
}

// Frame returns pending operations of about budget bytes and marks them as drawn; Dirty then reports whether there are more.
func (d *Drawing) Frame(budget int) Ops {
	ahead := d.ahead
	d.ahead = nil
	budget -= ahead.Cost()
	switch {
	case d.pending.next() != nil:
		return append(ahead, d.frame(budget)...)
	case len(ahead) == 0 || ahead[0].Before != "":
		return d.frameAbove(budget, ahead)
	}
	return ahead // alone: the end of what is drawn anew is to be seen at once
}

// Ahead works out operations of the next frame, of about budget bytes, and returns what they cost. Those before them may be on their way.
func (d *Drawing) Ahead(budget int) int {
	d.ahead = d.Frame(budget)
	return d.ahead.Cost()
}

// frame returns the operations of what is drawn in order.
func (d *Drawing) frame(budget int) (ops Ops) {
	for b := d.pending.next(); b != nil && budget > 0; b = d.pending.next() {
		unknown := !b.drawn
		new, more := d.painter.draw(b, budget)
		for i, op := range new {
			if op.ID, op.new = b.ID, unknown && i == 0; op.new && b.after != "" {
				op.Amid = d.below(b)
			}
			budget -= op.Cost()
			ops = append(ops, op)
		}
		if more {
			return ops
		}
		d.pending.drawn(b)
	}

	return ops
}

// below returns the first block behind another that is drawn, "" if none is.
func (d *Drawing) below(b *Block) string {
	list := d.blocks.list[slices.Index(d.blocks.list, b)+1:]
	if i := slices.IndexFunc(list, func(o *Block) bool { return o.drawn }); i >= 0 {
		return list[i].ID
	}
	return ""
}

// frameAbove draws blocks above those that are drawn, the last of them first, and before those that are drawn ahead. Of one that is
// too large the rest is drawn in order.
func (d *Drawing) frameAbove(budget int, ahead Ops) Ops {
	if len(d.pending.above) == 0 || budget <= 0 {
		return ahead
	}

	before := d.blocks.list[len(d.pending.above)].ID
	if len(ahead) > 0 { // which is not there yet
		before = ahead[0].Before
	}
	var drawn [][]Op
	for len(d.pending.above) > 0 && budget > 0 {
		b := d.pending.above[len(d.pending.above)-1]
		d.pending.above = d.pending.above[:len(d.pending.above)-1]
		ops, more := d.painter.draw(b, budget)
		for i := range ops {
			ops[i].ID = b.ID
			budget -= ops[i].Cost()
		}

		ops[0].Before, ops[0].new = before, true
		drawn = append(drawn, ops)
		if more {
			d.pending.dirty = append([]*Block{b}, d.pending.dirty...)
			break
		}

		b.queued = unqueued
	}

	slices.Reverse(drawn)
	return append(slices.Concat(drawn...), ahead...)
}

// Job returns the next thing to do, nil if there is none.
func (d *Drawing) Job() *Job {
	for len(d.pending.jobs) > 0 {
		j := d.pending.jobs[0]
		d.pending.jobs = d.pending.jobs[1:]
		if j.part == nil && !d.sees(j.item) {
			if j.whole != nil {
				d.pending.later = append(d.pending.later, j)
				continue
			}
			j.plain = true
		}
		if j.part != nil {
			if d.opts.Unseen {
				d.pending.unseen = append(d.pending.unseen, j)
				continue
			}
			text := &j.block.text
			if len(text.text) > longBlock || j.part.width == d.opts.Width || !text.isOf(j.part) {
				continue
			}
			j.text = strings.ReplaceAll(string(text.text[j.part.from:j.part.to]), "\x00", "␀")
			j.how = text.options(d.opts, d.opts.Width)
		}

		return j
	}

	return nil
}

// Done applies the result of a job.
func (d *Drawing) Done(j *Job) {
	switch {
	case j.part != nil:
		text := &j.block.text
		if d.blocks.byID[j.block.ID] != j.block || len(text.text) > longBlock || !text.isOf(j.part) {
			return
		}
		text.render(j.part, j.page, j.how.Width)
		if len(text.ready) > 0 {
			d.pending.refine(j.block)
		}
		if len(j.how.References) < text.referred {
			j.part.width = 0
		}
		if j.part.width == 0 || j.part.wide && j.how.Width != d.opts.Width {
			d.pending.jobParts(j.block, []*part{j.part})
		}
		d.pending.jobParts(j.block, text.refer())
	case d.blocks.byID[j.item.block.ID] == j.item.block && j.item.call.views[j.diff] == j.view:
		if j.done != j.view {
			j.done.asked = j.view.asked // once more, if the call has ended meanwhile
			*j.view = *j.done
			j.item.stale = true
			d.pending.refine(j.item.block)
		}
		if j.plain { // Job decides again
			d.pending.jobs = append(d.pending.jobs, &Job{item: j.item, view: j.view, diff: j.diff, whole: j.whole})
		}
	}
}

// Toggle opens or closes a block that folds, or its part with the given id. It reports whether there is one.
func (d *Drawing) Toggle(id, part string) bool {
	b := d.blocks.byID[id]
	switch {
	case b == nil || !b.folds():
		return false
	case b.Kind == ToolUse:
		return d.toggleItem(b, part)
	}
	b.open, b.set = !d.opts.shows(b), true
	b.text.rewind()
	d.pending.show(b)
	return true
}

func (d *Drawing) toggleItem(b *Block, part string) bool {
	if group := d.opts.groupOf(b.items, part); group != nil {
		to := 1
		if spread(group) {
			to = -1
		}
		for _, it := range group {
			it.spread, it.looked = to, true
		}
		d.pending.show(b)
		return true
	}

	it := itemOf(b.items, part)
	if it == nil {
		return false
	}

	it.open, it.set, it.stale, it.looked = !d.opts.showsItem(it), true, true, true
	d.pending.show(b)
	return true
}

// SetWidth sets the cells that a row of the transcript has. What depends on it is rendered anew.
func (d *Drawing) SetWidth(width int) {
	if width > 0 && d.opts.Unseen {
		d.opts.Unseen = false
		d.pending.jobs, d.pending.unseen = append(d.pending.unseen, d.pending.jobs...), nil
	}
	if width <= 0 || width == d.opts.Width {
		return
	}

	before := d.opts.Width
	d.opts.Width = width
	d.dropPages()
	d.showDeep(before)
	for _, b := range d.blocks.list {
		if b.Kind == TurnEnd && len(b.text.String()) > min(before, width)-len("✓ ") {
			d.pending.show(b)
		}
		for _, q := range b.text.parts {
			if q.wide && q.width != width {
				d.pending.jobs = append(d.pending.jobs, &Job{block: b, part: q})
			}
		}
	}
}

// showDeep has calls drawn anew whose indent is another at another width.
func (d *Drawing) showDeep(before int) {
	least := min(mostPad(before), mostPad(d.opts.Width))
	if mostPad(before) == mostPad(d.opts.Width) {
		return
	}
	for _, b := range d.blocks.list {
		if b.Kind == ToolUse && 2*depthOf(b.items)+2 > least { // a group is one level more
			d.pending.show(b)
		}
	}
}

// depthOf is how many levels are below items.
func depthOf(items []*item) int {
	most := 0
	for _, it := range items {
		if len(it.children) > 0 {
			most = max(most, 1+depthOf(it.children))
		}
	}
	return most
}

// dropPages has texts of children rendered anew that depend on the width.
func (d *Drawing) dropPages() {
	for _, b := range d.blocks.list {
		if dropPages(b.items) {
			d.pending.show(b)
		}
	}
}

func dropPages(items []*item) (dropped bool) {
	for _, it := range items {
		if it.page != nil && it.page.wide {
			it.page, it.stale, dropped = nil, true, true
		}
		dropped = dropPages(it.children) || dropped
	}
	return dropped
}
