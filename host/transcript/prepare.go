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
func (t *Transcript) Prepare() []*Preparation {
	blocks := t.dirty[:min(len(t.dirty), maxPrepared)]
	if len(blocks) == 0 {
		blocks = t.above[max(0, len(t.above)-maxPrepared):]
	}
	var list []*Preparation
	for _, b := range blocks {
		list = t.prepare(list, b.items)
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
func (t *Transcript) Prepared(list []*Preparation) {
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

func (t *Transcript) prepare(list []*Preparation, items []*item) []*Preparation {
	for _, it := range items {
		if t.lacksPage(it) {
			width := t.room(it)
			list = append(list, &Preparation{
				said: it, page: &page{source: it.text(), width: width}, how: markdown.Options{Width: width, Glyphs: t.opts.glyphs()},
			})
		}

		c, known := it.call, len(list)
		for _, d := range c.Diffs() {
			if c.views[d] == nil {
				list = append(list, &Preparation{call: c, diff: d})
			}
		}

		// Only its diffs tell whether a call is shown.
		if len(list) == known && c.isCommand() && (it.stale || it.rows == nil) && t.loud(it) {
			if colours := t.showsItem(it); !c.isRead(colours) {
				list = append(list, &Preparation{call: c, command: c.command, colours: colours})
			}
		}

		list = t.prepare(list, it.children)
	}

	return list
}
