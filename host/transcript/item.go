package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// item is a tool call as a block shows it. Calls in a row share a block.
type item struct {
	id       string // for the editor
	origin   string // in the record that it comes from
	call     *Call
	block    *Block
	turn     int    // of its announcement
	halted   bool   // unfinished when the user stopped its turn
	apart    bool   // runs on after its turn
	tool     string // of the editor, which the call is known to be of, whatever its title is by now
	claimed  bool   // it is the agent's word on a use of it
	parent   *item
	children []*item         // calls of the subagent that this call is
	said     strings.Builder // of one that is no call: its text
	message  string          // the same: its messageId
	page     *page           // the same: as it is rendered
	over     bool            // the same: what comes next is another
	began    time.Time
	ended    time.Time
	asked    time.Time // when it began to wait for the user, zero if it does not
	waited   []stretch // for the user
	open     bool      // shows more than its head; counts if set
	looked   bool      // a window has shown it
	set      bool      // the user has opened or closed it: it no longer folds by itself
	spread   int       // the user has opened (1) or closed (-1) the group it is in

	rows       []row  // its own, as last drawn
	stale      bool   // rows are out of date
	unrecorded bool   // its current state is not in the record
	sum        uint64 // of the recorded state
}

// callItem returns the item of a call. A new one is added to the block of calls at the end, or below the call of its subagent.
func (t *Transcript) callItem(id string, meta acp.Meta) *item {
	it, parent := t.calls[id], t.below
	if parent == nil {
		parent = t.calls[t.parentOf(meta)]
	}
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
	it := &item{id: "c" + strconv.Itoa(t.items), turn: t.running.turns, call: &Call{ID: id, Kind: acp.ToolKindOther, Status: string(acp.ToolCallPending)}}
	if !t.loading {
		it.began = t.opts.Now()
	}
	if id != "" { // as in records of earlier versions
		t.calls[id] = it
	}
	if parent != nil {
		it.hang(parent)
	} else {
		it.block = t.callBlock()
		it.block.items = append(it.block.items, it)
	}

	return it
}

// callBlock returns the block for a new call.
func (t *Transcript) callBlock() *Block {
	if b := t.last(); b != nil && b.Kind == ToolUse && !b.restored && (t.behind.at == nil || b.after != "") {
		return b
	}
	return t.add(ToolUse)
}

// hang moves an item, and the ones below it, below another.
func (it *item) hang(parent *item) {
	it.parent = parent
	parent.children, parent.stale = append(parent.children, it), true
	it.move(parent.block)
}

func (it *item) move(b *Block) {
	it.block = b
	for _, child := range it.children {
		child.move(b)
	}
}

// above reports whether other is the item or below it.
func (it *item) above(other *item) bool {
	for ; other != nil; other = other.parent {
		if other == it {
			return true
		}
	}
	return false
}

// touchItem marks an item for redrawing.
func (t *Transcript) touchItem(it *item) {
	it.stale, it.unrecorded = true, true
	if it.call.finished() && !it.call.odd() {
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
		if found := itemOf(it.children, id); found != nil {
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
	if it.call.asking > 0 && len(it.call.Diffs()) > 0 {
		return false // the float in which it is asked about has them
	}
	if it.call.Kind == runKind && it.call.finished() {
		return !t.opts.FoldCalls || slices.ContainsFunc(it.children, (*item).busy)
	}
	return !t.opts.FoldCalls || !it.call.finished() || t.worthShowing(it.call) || slices.ContainsFunc(it.children, (*item).busy)
}

// finish records when a call ended.
func (t *Transcript) finish(it *item) {
	if it.call.finished() && it.ended.IsZero() {
		it.ended = t.opts.Now()
		for _, v := range it.call.views {
			v.asked = v.asked && v.first > 0 // the file may have the change by now
		}
	}
	if it.call.finished() {
		t.holding.add(it, it.call.bytes())
	}
}

// pends reports whether a call is not in the record yet.
func (it *item) pends() bool { return it.unrecorded }

// cut drops the large texts of a finished call. It keeps its head, its rows as they are drawn, and the ends of its texts.
func (it *item) cut() bool {
	c := it.call
	if !c.finished() {
		return false // it is held again at its end
	}

	heading, place := c.Heading(), c.place()
	list := slices.Clone(c.Content)
	undiffed, dropped := false, 0
	for i, content := range list {
		n := contentBytes(content)
		if n <= leastCut {
			continue
		}
		switch content := content.(type) {
		case *acp.Content:
			list[i] = &acp.Content{Content: acp.Text(cutText(contentText(content.Content)))}
		case *acp.Diff:
			counts := ""
			if added, deleted, known := c.count(content); known {
				counts = fmt.Sprintf(" +%d -%d", added, deleted)
			}
			text := fmt.Sprintf("%s%s (%s are not kept in memory)", content.Path, counts, Size(n))
			list[i] = &acp.Content{Content: acp.Text(text)}
			undiffed = true
		}
	}

	if undiffed { // these were found by its diffs
		c.label = strings.Clone(heading)
		if place != nil && len(c.Locations) == 0 {
			c.Locations = []acp.ToolCallLocation{{Path: place.Path}}
		}
	}
	if len(c.Title) > leastCut {
		c.Title = strings.Clone(plain.Short(c.Title, keptEnd))
	}

	c.views, c.made = nil, nil
	c.Content = list
	for _, raw := range []*acp.Raw{&c.RawInput, &c.RawOutput} {
		if len(*raw) > leastCut {
			dropped += len(*raw)
			*raw = nil
		}
	}

	if dropped > 0 {
		text := fmt.Sprintf("(%s of input and output are not kept in memory)", Size(dropped))
		c.Content = append(c.Content, &acp.Content{Content: acp.Text(text)})
	}

	return true
}

// bytes is how much a call holds.
func (c *Call) bytes() int {
	n := len(c.Title) + len(c.RawInput) + len(c.RawOutput)
	for _, content := range c.Content {
		n += contentBytes(content)
	}
	return n
}
