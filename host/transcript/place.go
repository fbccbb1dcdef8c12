package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Place of a row: its block, and which row of that it is, from 0.
type RowPlace struct {
	Block string `msgpack:"block"`
	Row   int    `msgpack:"row"`
}

// Place returns the location of a row of a block: its own, else that of its call. It returns false if there is none.
func (l *Blocks) Place(id string, row int) (Place, bool) {
	b := l.byID[id]
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

// Content returns the image or other content in a line of a block, nil if there is none. Before the line there are others like it in the
// part.
func (l *Blocks) Content(id, part, line string, before int) acp.ContentBlock {
	b := l.byID[id]
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
	all = slices.DeleteFunc(all, func(c acp.ContentBlock) bool {
		_, isText := c.(*acp.TextContent)
		label, _, _ := strings.Cut(contentText(c), "\n")
		return isText || label == "" || !strings.Contains(line, label)
	})
	if len(all) == 0 {
		return nil
	}
	return all[min(max(before, 0), len(all)-1)]
}

// RunAt returns the id of the run that a part of a block is, or is below of; "" if there is none.
func (l *Blocks) RunAt(block, part string) string {
	b := l.byID[block]
	if b == nil {
		return ""
	}
	it := itemOf(b.items, strings.TrimPrefix(part, "g")) // a group is where its first call is
	if it != nil && it.call.Kind != runKind {
		it = it.run()
	}
	if it == nil {
		return ""
	}
	return it.call.ID
}
