package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// What finished calls and texts are made of is held so that the user can unfold it. Beyond a bound the oldest of it is cut to its ends, which
// says so: an agent may send any number of megabytes.

const (
	maxHeld  = 64 << 20 // bytes that are held whole
	leastCut = 16 << 10 // bytes of what is cut at all …
	keptEnd  = 4 << 10  // … and of each end that stays
	maxBlock = 8 << 20  // bytes of a text after which another block begins
)

// holding is what a transcript holds whole, the oldest first.
type holding struct {
	list  []held
	bytes int
}

// held is a finished call or a closed block of text, and how many bytes it has.
type held struct {
	item  *item
	block *Block
	bytes int
}

// holdItem notes that a call has ended.
func (t *Transcript) holdItem(it *item) {
	n := it.call.bytes()
	if n <= leastCut || n == it.held {
		return
	}
	if it.held > 0 { // it has changed since
		t.holding.remove(func(h held) bool { return h.item == it })
	}
	it.held = n
	t.hold(held{item: it, bytes: n})
}

// holdBlock notes that a text has ended.
func (t *Transcript) holdBlock(b *Block) {
	if n := len(b.text.text); n > leastCut && (b.Kind == Agent || b.Kind == Thought) {
		t.hold(held{block: b, bytes: n})
	}
}

func (t *Transcript) hold(h held) {
	t.holding.list = append(t.holding.list, h)
	t.holding.bytes += h.bytes
	t.letGo()
}

func (h *holding) remove(is func(held) bool) {
	if i := slices.IndexFunc(h.list, is); i >= 0 {
		h.bytes -= h.list[i].bytes
		h.list = slices.Delete(h.list, i, i+1)
	}
}

// letGo cuts the oldest of what is held beyond the bound. What is not recorded yet waits, unless it is very much.
func (t *Transcript) letGo() {
	h, cut := &t.holding, map[*item]bool{}
	for h.bytes > maxHeld && len(h.list) > 0 {
		first := h.list[0]
		waits := first.item != nil && first.item.unrecorded || first.block != nil && (first.block.unrecorded || !first.block.isDrawn())
		if waits && h.bytes <= 2*maxHeld {
			break
		}
		h.bytes -= first.bytes
		h.list[0] = held{}
		h.list = h.list[1:]
		if first.item != nil {
			first.item.cut()
			cut[first.item] = true
		} else {
			first.block.cut()
		}
	}
	if len(cut) > 0 {
		of := func(j *Job) bool { return cut[j.item] }
		t.jobs, t.later = slices.DeleteFunc(t.jobs, of), slices.DeleteFunc(t.later, of)
	}
}

// bytes is how much a call holds.
func (c *Call) bytes() int {
	n := len(c.Title) + len(c.RawInput) + len(c.RawOutput)
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			n += contentBytes(content.Content)
		case *acp.Diff:
			n += len(content.NewText) + len(oldText(content))
		}
	}
	return n
}

func contentBytes(c acp.ContentBlock) int {
	switch c := c.(type) {
	case *acp.TextContent:
		return len(c.Text)
	case *acp.ImageContent:
		return len(c.Data)
	case *acp.AudioContent:
		return len(c.Data)
	case *acp.EmbeddedResource:
		switch r := c.Resource.(type) {
		case *acp.TextResourceContents:
			return len(r.Text)
		case *acp.BlobResourceContents:
			return len(r.Blob)
		}
	}
	return 0
}

// cut lets go of what a finished call has. It keeps its head, its rows as they are drawn, and the ends of its texts.
func (it *item) cut() {
	c := it.call
	if !c.finished() {
		return // it goes on after all, and is held again at its end
	}
	it.recorded = !it.unrecorded
	heading, place := c.Heading(), c.place()
	list := make([]acp.ToolCallContent, len(c.Content))
	changed := false
	for i, content := range c.Content {
		list[i] = content
		switch content := content.(type) {
		case *acp.Content:
			if contentBytes(content.Content) > leastCut {
				list[i] = &acp.Content{Content: acp.Text(cutText(contentText(content.Content)))}
			}
		case *acp.Diff:
			if n := len(content.NewText) + len(oldText(content)); n > leastCut {
				added, deleted := c.count(content)
				list[i] = &acp.Content{Content: acp.Text(fmt.Sprintf("%s +%d -%d (%s are not kept in memory)", content.Path, added, deleted, size(n)))}
				changed = true
			}
		}
	}
	if changed {
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
			c.let += len(*raw)
			*raw = nil
		}
	}
	it.held = c.bytes()
}

// cut keeps the ends of a text that is drawn. It is drawn as these are when all is drawn anew.
func (b *Block) cut() {
	b.recorded = !b.unrecorded
	old := &b.text
	text := []byte(cutText(string(old.text)))
	b.text = prose{text: text, at: len(text), lines: old.lines, head: old.head, renders: old.renders, tone: old.tone, seen: len(text), finished: true}
	b.partAt = min(b.partAt, len(text))
}

// isDrawn reports whether all of a closed text is drawn that will be.
func (b *Block) isDrawn() bool {
	return b.drawn && b.text.seen == len(b.text.text) && !b.queued
}

// cutText returns the ends of a text, and says how much there was between them.
func cutText(text string) string {
	head, tail := plain.Cut(text, keptEnd), plain.Tail(text, keptEnd)
	return fmt.Sprintf("%s\n… %s are not kept in memory …\n%s", head, size(len(text)-len(head)-len(tail)), tail)
}
