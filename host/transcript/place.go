package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Place returns the location of a row of a block: its own, else that of its call. It returns false if there is none.
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

// Moved reports whether the agent has sent a location since the last call of Moved.
func (t *Transcript) Moved() bool {
	moved := t.moved
	t.moved = false
	return moved
}

// At returns the agent's last location, nil if it has sent none.
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

// Content returns the image or other content in a line of a block, nil if there is none.
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
