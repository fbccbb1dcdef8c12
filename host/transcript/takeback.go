package transcript

import (
	"slices"
	"strconv"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Point is a point of the running turn: what its agent says and does from there on can be taken back, when it turns out to be a replay.
type Point struct {
	calls   int    // created before
	last    *Block // the one at the end …
	bytes   int    // … its text …
	closed  bool   // … and whether that was over
	planned []PlanEntry
	running *Block      // the plan of the turn, nil if it has none …
	plan    []PlanEntry // … and its steps
}

// Point returns the present one.
func (t *Transcript) Point() Point {
	p := Point{calls: t.calls.count, last: t.blocks.last(), planned: t.running.planned}
	if p.last != nil {
		p.bytes, p.closed = len(p.last.text.text), p.last.closed
	}
	if t.running.plan != nil {
		p.running, p.plan = t.running.plan, t.running.plan.plan
	}
	return p
}

// HadCall reports whether an update is of a call of the running turn that was there at a point.
func (t *Transcript) HadCall(u acp.SessionUpdate, p Point) bool {
	id := ""
	switch u := u.(type) {
	case *acp.ToolCall:
		id = u.ToolCallID
	case *acp.ToolCallUpdate:
		id = u.ToolCallID
	}
	it := t.calls.byID[id]
	return it != nil && t.running.turn && it.turn == t.running.turns && it.number() <= p.calls
}

// TakeBack removes what the agent has said and done in the running turn since a point, from the record too. All is to be drawn anew.
func (t *Transcript) TakeBack(p Point) {
	from := slices.Index(t.blocks.list, p.last) + 1
	left := slices.Clone(t.blocks.list[:from])
	for _, b := range left {
		if b.Kind == ToolUse && t.calls.takeBack(&b.items, p.calls) {
			t.blocks.touch(b)
		}
	}
	if t.running.plan = p.running; p.running != nil {
		p.running.plan = p.plan
		t.blocks.touch(p.running)
	}

	for _, b := range t.blocks.list[from:] {
		if b.Kind == Agent || b.Kind == Thought || b.Kind == ToolUse || b.Kind == Plan {
			t.calls.takeBack(&b.items, 0)
			t.unrecorded.takeBack(b)
			t.holding.forget(b)
			delete(t.blocks.byID, b.ID)
			continue
		}
		left = append(left, b)
	}
	t.blocks.list = left

	if b := p.last; b != nil && !p.closed && (b.Kind == Agent || b.Kind == Thought) {
		t.unrecorded.takeBack(b)
		b.text = prose{text: b.text.text[:p.bytes], renders: b.text.renders, tone: b.text.tone}
		b.part, b.partAt, b.closed = 0, 0, p.closed
		t.blocks.touch(b)
	}

	t.running.planned = p.planned
	t.blocks.spread()
	t.drawing.Redraw()
}

// takeBack removes the items that were created after so many others, and reports whether there are any.
func (s *Calls) takeBack(items *[]*item, before int) bool {
	n := len(*items)
	deeper := false
	*items = slices.DeleteFunc(*items, func(it *item) bool {
		deeper = s.takeBack(&it.children, before) || deeper
		if it.number() <= before {
			return false
		}

		if s.byID[it.call.ID] == it {
			delete(s.byID, it.call.ID)
		}
		delete(s.live, it)
		for id, list := range s.viewers {
			s.viewers[id] = slices.DeleteFunc(list, func(o *item) bool { return o == it })
		}
		if s.active == it {
			s.active = nil
		}
		if it.sum != 0 {
			s.blocks.unrecorded.gone = append(s.blocks.unrecorded.gone, s.opts.Prefix+it.id)
		}
		s.holding.forget(it)
		return true
	})
	return deeper || len(*items) < n
}

// takeBack notes that what is recorded of a block is not to be, if anything is.
func (u *Unrecorded) takeBack(b *Block) {
	u.blocks = slices.DeleteFunc(u.blocks, func(o *Block) bool { return o == b })
	b.unrecorded = false
	if b.recordedAt.IsZero() || b.Kind == ToolUse {
		return
	}
	u.gone = append(u.gone, b.ID)
	for n := range b.part {
		u.gone = append(u.gone, b.ID+"."+strconv.Itoa(n+1))
	}
}

// number is which of the items created it is.
func (it *item) number() int {
	n, _ := strconv.Atoi(it.id[1:]) // as it was made
	return n
}
