package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Place is the place in a file that a row of a block is about, false if it is about none: that of the row itself, or that
// of the call it belongs to.
func (t *Transcript) Place(id string, row int) (Place, bool) {
	b := t.byID[id]
	if b == nil || b.Kind != ToolUse || row >= len(b.rows) {
		return Place{}, false
	}
	for ; row >= 0; row-- {
		r := b.rows[row]
		if r.place != nil {
			return *r.place, true
		}
		if r.head != "" {
			break
		}
	}
	return Place{}, false
}

// Moved reports whether the agent has said since the last time where it is at work.
func (t *Transcript) Moved() bool {
	moved := t.moved
	t.moved = false
	return moved
}

// At is where the agent was last at work, nil if it has not said.
func (t *Transcript) At() *Place {
	if t.active == nil {
		return nil
	}
	c := t.active.call
	if n := len(c.Locations); n > 0 {
		return placeOf(c.Locations[n-1])
	}
	diffs := c.Diffs()
	if len(diffs) == 0 {
		return nil
	}
	p := &Place{Path: diffs[len(diffs)-1].Path}
	for _, l := range c.view(diffs[len(diffs)-1]).lines {
		if l.sign == "+" || l.sign == "-" {
			p.Line = l.number
			break
		}
	}
	return p
}

// Content is what stands for itself in a line of a block that is not text, nil if there is none.
func (t *Transcript) Content(id, part, line string) acp.ContentBlock {
	b := t.byID[id]
	if b == nil {
		return nil
	}
	all := slices.Clone(b.other)
	if it := itemOf(b.items, part); it != nil {
		for _, content := range it.call.Content {
			if c, ok := content.(*acp.Content); ok {
				all = append(all, c.Content)
			}
		}
	}
	for _, c := range all {
		if _, isText := c.(*acp.TextContent); isText {
			continue
		}
		if label, _, _ := strings.Cut(contentText(c), "\n"); label != "" && strings.Contains(line, label) {
			return c
		}
	}
	return nil
}
