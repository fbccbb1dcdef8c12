package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
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

// pends reports whether a call is not in the record yet.
func (it *item) pends() bool { return it.unrecorded }

// cut drops the large texts of a finished call. It keeps its head, its rows as they are drawn, and the ends of its texts.
func (it *item) cut() bool {
	c := it.call
	if !c.finished() {
		return false // it is held again at its end
	}

	c.told = told{}
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
				counts = " " + Icons{}.Counts(added, deleted)
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

// speech reports whether an item is what a subagent says or thinks, or is asked, and no call.
func (it *item) speech() bool {
	return it.call.Kind == saying || it.call.Kind == thinking || it.call.Kind == asking
}

// speak adds to the text of an item that is no call.
func (it *item) speak(text string) {
	it.said.WriteString(text)
	if it.said.Len() > maxSaid {
		all := it.said.String()
		head, tail := plain.Start(all, keptSaid), plain.Start(all, len(all)-2*keptSaid)
		it.said.Reset()
		it.said.WriteString(all[:head] + "\n… " + Size(tail-head) + " left out …\n" + all[tail:])
	}
	it.call.Content[0].(*acp.Content).Content.(*acp.TextContent).Text = it.said.String() // which copies nothing
}

// calls is how many calls are below an item.
func (it *item) calls() int {
	n := 0
	for _, child := range it.children {
		if !child.speech() {
			n++
		}
	}
	return n
}

// busy reports whether a call, or one below it, is not over.
func (it *item) busy() bool {
	return !it.call.finished() || slices.ContainsFunc(it.children, (*item).busy)
}

// running reports whether a call, or one below it, is still changing.
func (it *item) running() bool {
	grows := !it.call.finished() || it.speech() && !it.parent.call.finished()
	return it.unrecorded && grows || slices.ContainsFunc(it.children, (*item).running)
}

// run returns the nearest run above an item, nil if there is none.
func (it *item) run() *item {
	for it = it.parent; it != nil; it = it.parent {
		if it.call.Kind == runKind {
			return it
		}
	}
	return nil
}

// endsWithRun reports whether an item is a run, or below one that goes on: it ends with that, and not with the turn.
func (it *item) endsWithRun() bool {
	r := it.run()
	return it.call.Kind == runKind || r != nil && !r.call.finished()
}

// about ends the id of what is said of a child's work, which is short for what it is asked, as a rule.
const about = "/about"

// retold reports whether an item says of a child what it is asked to do, or how that begins.
func (it *item) retold() bool {
	if it.parent == nil || it.call.ID != it.parent.call.ID+about {
		return false
	}
	text := strings.TrimRight(plain.Words(it.text()), " .…")
	return slices.ContainsFunc(it.parent.children, func(o *item) bool {
		return o != it && o.call.Kind == asking && strings.HasPrefix(plain.Words(o.text()), text)
	})
}

// What is kept of a text of a subagent: of a longer one the middle is left out.
const (
	maxSaid  = 256 << 10
	keptSaid = 64 << 10 // at its beginning, and twice that at its end
)

// repeats reports whether a text of a call is what its subagent said last.
func (it *item) repeats(text string) bool {
	n := len(it.children)
	return n > 0 && it.children[n-1].speech() && plain.Words(text) == plain.Words(strings.Join(it.children[n-1].call.Texts(), "\n"))
}

// whole is everything that a call and those below it carry, as text.
func (it *item) whole() string {
	if it.speech() {
		return strings.Join(it.call.Texts(), "\n") + "\n"
	}
	text := it.call.whole()
	for _, child := range it.children {
		text += "\n" + child.whole()
	}
	return text
}

// page is a text of a child or of a call, rendered. A child's text, or its run, is over by then, and a plan that a call asks to begin with.
// That takes time, so it is prepared before a frame.
type page struct {
	source string
	width  int
	rows   []row // nil: it is too long, or shown as it is
	wide   bool  // it would be another at another width
}

// saidAll reports whether a text gets no more.
func (it *item) saidAll() bool {
	n := len(it.parent.children)
	return it.over || it.parent.children[n-1] != it || it.parent.call.finished()
}

func (it *item) text() string { return strings.Join(it.call.Texts(), "\n") }

// render renders a text of a child.
func (p *page) render(o markdown.Options) {
	whole := prose{text: []byte(p.source)}
	out := markdown.Render(p.source, o)
	p.rows, p.wide = whole.renderedRows(&part{to: len(p.source), page: &out}), out.Wide
}

// pageRows returns the text of an item, indented by cells, if it is rendered.
func (it *item) pageRows(pad int) []row {
	p := it.page
	if p == nil || len(p.rows) == 0 || p.source != it.text() {
		return nil
	}
	rows := make([]row, len(p.rows))
	for i, r := range p.rows {
		rows[i] = r.shift(pad)
	}
	return rows
}
