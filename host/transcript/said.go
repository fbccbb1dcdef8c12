package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// What a child says is rendered when it is over: its own text, or the run; so is a plan that a call asks to begin with. That takes time,
// so it is prepared before a frame.

// page is a text of a child or of a call, rendered.
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

// lacksPage reports whether a text of a child or of a call is to be rendered.
func (t *Transcript) lacksPage(it *item) bool {
	said := it.call.Kind == saying && it.parent != nil && it.parent.call.Kind == runKind && it.saidAll()
	plan := it.call.Kind == acp.ToolKindSwitchMode
	if said && !t.showsItem(it.parent) || plan && !t.showsItem(it) || !said && !plan {
		return false
	}
	text := it.text()
	return text != "" && len(text) <= maxPart && (it.page == nil || it.page.source != text)
}

func (it *item) text() string { return strings.Join(it.call.Texts(), "\n") }

// room is how many cells a text below a run has.
func (t *Transcript) room(it *item) int {
	depth := 0
	for p := it.parent; p != nil && p.parent != nil; p = p.parent {
		depth++
	}
	return max(t.opts.Width-len(indent)-t.pad(depth), 20)
}

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

// saidRows draws what a child says, rendered if it is.
func (t *Transcript) saidRows(it *item) []row {
	if rows := it.pageRows(2); rows != nil {
		return rows
	}
	return speechRows(it.call)
}

// showDeep has calls drawn anew whose indent is another at another width.
func (t *Transcript) showDeep(before int) {
	least := min(mostPad(before), mostPad(t.opts.Width))
	if mostPad(before) == mostPad(t.opts.Width) {
		return
	}
	for _, b := range t.blocks {
		if b.Kind == ToolUse && 2*depthOf(b.items)+2 > least { // a group is one level more
			t.show(b)
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
func (t *Transcript) dropPages() {
	for _, it := range t.calls {
		if it.page != nil && it.page.wide {
			it.page, it.stale = nil, true
			t.show(it.block)
		}
	}
}
