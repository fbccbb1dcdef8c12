package transcript

import (
	"slices"
	"strconv"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// item is a tool call as a block shows it. Calls that follow each other share a block.
type item struct {
	id     string // by which the editor names it
	call   *Call
	block  *Block
	turn   int  // it was announced in
	halted bool // unfinished when the user stopped its turn
	apart  bool // runs on after its turn
	parent *item
	under  []*item // calls of the subagent that this call is
	began  time.Time
	ended  time.Time
	asked  time.Time // since when it waits for the user, zero if it does not
	waited []stretch // when it did
	open   bool      // shows more than its head; counts if set
	set    bool      // the user has opened or closed it: it does not fold by itself any more
	spread int       // the user has opened (1) or closed (-1) the group it is in

	rows   []row  // of itself, as last made
	stale  bool   // rows are not as they are to be
	unkept bool   // it is not in the record as it is
	sum    uint64 // of what is
}

// callItem returns the item of a call, made if it is new: in the block of calls at the end, or below the call of the agent
// that makes it.
func (t *Transcript) callItem(id string, meta acp.Meta) *item {
	it, parent := t.calls[id], t.calls[t.parentOf(meta)]
	if it == nil {
		it = t.newItem(id, parent)
	} else if parent != nil && it.parent == nil && !it.above(parent) && len(it.block.items) > 1 {
		it.block.items = slices.DeleteFunc(it.block.items, func(o *item) bool { return o == it })
		t.touch(it.block)
		it.hang(parent)
	}
	return it
}

func (t *Transcript) newItem(id string, parent *item) *item {
	t.items++
	it := &item{id: "c" + strconv.Itoa(t.items), turn: t.turns, call: &Call{ID: id, Kind: acp.ToolKindOther, Status: string(acp.ToolCallPending)}}
	if !t.loading {
		it.began = t.opts.Now()
	}
	t.calls[id] = it
	if parent != nil {
		it.hang(parent)
	} else {
		it.block = t.callBlock()
		it.block.items = append(it.block.items, it)
	}
	return it
}

// callBlock is the block that a new call goes into.
func (t *Transcript) callBlock() *Block {
	if b := t.last(); b != nil && b.Kind == ToolUse && !b.restored {
		return b
	}
	return t.add(ToolUse)
}

// hang puts an item, and what is below it, below another.
func (it *item) hang(parent *item) {
	it.parent = parent
	parent.under, parent.stale = append(parent.under, it), true
	it.move(parent.block)
}

func (it *item) move(b *Block) {
	it.block = b
	for _, child := range it.under {
		child.move(b)
	}
}

// above reports whether other is below it, or is itself.
func (it *item) above(other *item) bool {
	for ; other != nil; other = other.parent {
		if other == it {
			return true
		}
	}
	return false
}

// touchItem has an item drawn anew.
func (t *Transcript) touchItem(it *item) {
	it.stale, it.unkept = true, true
	if it.call.finished() {
		delete(t.live, it)
	} else {
		t.live[it] = true
	}
	t.touch(it.block)
}

// itemOf finds an item of a block by its id.
func itemOf(items []*item, id string) *item {
	for _, it := range items {
		if it.id == id {
			return it
		}
		if found := itemOf(it.under, id); found != nil {
			return found
		}
	}
	return nil
}

// showsItem reports whether an item shows more than its head.
func (t *Transcript) showsItem(it *item) bool {
	if it.set {
		return it.open
	}
	return !t.opts.FoldCalls || !it.call.finished() || t.worthShowing(it.call) || slices.ContainsFunc(it.under, (*item).busy)
}

// finish notes when a call ended.
func (t *Transcript) finish(it *item) {
	if it.call.finished() && it.ended.IsZero() {
		it.ended = t.opts.Now()
	}
}
