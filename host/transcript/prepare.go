package transcript

import (
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// To compare the texts of a diff, or to read a long command, takes up to tens of milliseconds. Neither needs the transcript, so
// whoever draws asks for that work first, does it without the lock, and then takes the frame.

// maxPrepared is for how many blocks a frame is prepared, more than most frames have. The others do the work as they are drawn.
const maxPrepared = 64

// Preparation is work for the next frame. Do runs outside the transcript's lock.
type Preparation struct {
	call *Call

	diff *acp.Diff // it is compared …
	view *diffView

	said *item // it is rendered …
	page *page
	how  markdown.Options

	command string // … or this is read
	colours bool
	line    *commandLine
}

// Prepare returns work that the next frame needs. What is found out by it may need more: callers ask again until there is none.
func (d *Drawing) Prepare() []*Preparation {
	blocks := d.pending.dirty[:min(len(d.pending.dirty), maxPrepared)]
	if len(blocks) == 0 {
		blocks = d.pending.above[max(0, len(d.pending.above)-maxPrepared):]
	}
	var list []*Preparation
	for _, b := range blocks {
		list = d.painter.prepare(list, b.items)
	}
	return list
}

// Do works it out. It may take tens of milliseconds, and does not access the transcript.
func (p *Preparation) Do() {
	switch {
	case p.diff != nil:
		p.view = viewOf(p.diff)
		return
	case p.said != nil:
		p.page.render(p.how)
		return
	}
	p.line = readCommand(p.command, p.colours)
}

// Prepared applies work that is done. Drawing ignores what is out of date by then.
func (d *Drawing) Prepared(list []*Preparation) {
	for _, p := range list {
		switch {
		case p.said != nil:
			p.said.page, p.said.stale = p.page, true
		case p.diff == nil:
			p.call.line = p.line
		case p.call.views[p.diff] == nil && slices.Contains(p.call.Diffs(), p.diff): // else the agent has replaced it meanwhile
			p.call.keepView(p.diff, p.view)
		}
	}
}

func (w *painter) prepare(list []*Preparation, items []*item) []*Preparation {
	for _, it := range items {
		if w.lacksPage(it) {
			width := w.room(it)
			list = append(list, &Preparation{
				said: it, page: &page{source: it.text(), width: width}, how: markdown.Options{Width: width, Glyphs: w.opts.Icons.glyphs()},
			})
		}

		c, known := it.call, len(list)
		for _, d := range c.Diffs() {
			if c.views[d] == nil {
				list = append(list, &Preparation{call: c, diff: d})
			}
		}

		// Only its diffs tell whether a call is shown.
		if len(list) == known && c.isCommand() && (it.stale || it.rows == nil) && w.opts.loud(it) {
			if colours := w.opts.showsItem(it); !c.isRead(colours) {
				list = append(list, &Preparation{call: c, command: c.command, colours: colours})
			}
		}

		list = w.prepare(list, it.children)
	}

	return list
}

// lacksPage reports whether a text of a child or of a call is to be rendered.
func (w *painter) lacksPage(it *item) bool {
	said := it.call.Kind == saying && it.parent != nil && it.parent.call.Kind == runKind && it.saidAll()
	plan := it.call.Kind == acp.ToolKindSwitchMode
	if said && !w.opts.showsItem(it.parent) || plan && !w.opts.showsItem(it) || !said && !plan {
		return false
	}
	text := it.text()
	return text != "" && len(text) <= maxPart && (it.page == nil || it.page.source != text)
}

// room is how many cells a text below a run has.
func (w *painter) room(it *item) int {
	depth := 0
	for p := it.parent; p != nil && p.parent != nil; p = p.parent {
		depth++
	}
	return max(w.opts.Width-len(indent)-w.opts.pad(depth), 20)
}
