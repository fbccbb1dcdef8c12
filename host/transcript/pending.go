package transcript

import (
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/markdown"
)

// Parts of an agent's text are rendered when they are over. Diffs are looked for in their files when they are first shown, and
// highlighted when somebody may see them. That takes time, so the transcript only hands out jobs, and applies their results.

// pending is what is to be drawn, rendered and highlighted.
type pending struct {
	dirty []*Block
	fine  []*Block // of which only something is rendered or highlighted since they were drawn: after those
	above []*Block // the first blocks, which are drawn after all others: from the last of them on to the first

	jobs   []*Job
	later  []*Job // of diffs that nobody has seen
	unseen []*Job // of Markdown, while no window shows any of it
}

// queue is when a block is drawn.
type queue int

const (
	unqueued   queue = iota
	drawnFirst       // it is in dirty, or in above
	drawnLast        // it is in fine
)

// show marks a block for drawing without recording it again.
func (s *pending) show(b *Block) {
	if b.queued != drawnFirst {
		b.queued = drawnFirst
		s.dirty = append(s.dirty, b)
	}
}

// refine marks a block for drawing of which something is rendered or highlighted.
func (s *pending) refine(b *Block) {
	if b.queued == unqueued {
		b.queued = drawnLast
		s.fine = append(s.fine, b)
	}
}

// next returns the first block that is to be drawn, nil if there is none.
func (s *pending) next() *Block {
	if len(s.dirty) > 0 {
		return s.dirty[0]
	}
	for len(s.fine) > 0 && s.fine[0].queued != drawnLast { // it was drawn with others
		s.fine = s.fine[1:]
	}
	if len(s.fine) > 0 {
		return s.fine[0]
	}
	return nil
}

// drawn notes that all of the first block is drawn.
func (s *pending) drawn(b *Block) {
	b.queued = unqueued
	if len(s.dirty) > 0 && s.dirty[0] == b {
		s.dirty = s.dirty[1:]
		return
	}
	s.fine = s.fine[1:]
}

// queueParts has those parts of an agent's text rendered that are over: once it is closed and drawn, also the last.
func (s *pending) queueParts(b *Block) {
	text := &b.text
	if b.closed && b.drawn && text.seen == len(text.text) {
		text.finish()
	}
	s.jobParts(b, text.fresh())
	s.jobParts(b, text.refer())
}

func (s *pending) jobParts(b *Block, parts []*part) {
	for _, q := range parts {
		s.jobs = append(s.jobs, &Job{block: b, part: q})
	}
}

// Job is a text to render or to highlight. Do runs outside the transcript's lock.
type Job struct {
	block *Block // of an agent's text …
	part  *part  // … this part
	text  string
	how   markdown.Options
	page  markdown.Page

	item *item // of a diff
	view *diffView
	diff *acp.Diff
	near int // the line that the call names, 0 if it names none
	file func(path string) (string, bool)

	whole *acp.Diff // the diff as it was found in its file; nil: it was not looked for yet
	plain bool      // it is only looked for
	done  *diffView
}

// Do works it out. It may take tenths of a second, and does not access the transcript.
func (j *Job) Do() {
	if j.part != nil {
		j.page = markdown.Render(j.text, j.how)
		return
	}
	if j.done = j.view; j.whole == nil {
		j.done, j.whole = j.view.find(j.diff, j.near, j.file)
	}
	if !j.plain {
		out := *j.done
		out.spans = out.highlight(j.whole)
		j.done = &out
	}
}
