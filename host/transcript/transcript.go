// Package transcript holds the blocks of a session's transcript, and turns them into lines and marks.
//
// It knows the protocol's updates and nothing of Neovim: an [Op] says which lines of which block are new. It is called by
// host.Session, which guards it with its own mutex; it starts no goroutine and calls nobody back.
package transcript

import "time"

// Transcript is one session's blocks in the order they came. The zero value is not usable; see [New]. Not safe for
// concurrent use.
type Transcript struct {
	opts       Options
	pending    pending
	holding    holding
	unrecorded Unrecorded
	blocks     Blocks
	calls      Calls
	runs       Runs
	drawing    Drawing

	running running
	endings map[string]*ending // by the keys of their prompts
	notices map[string]*Block  // compactions and similar, by id
	echo    string             // the rest of the prompt that the agent may echo
	said    string             // by the agent itself, since Said was asked
}

// New returns an empty transcript.
func New(opts Options) *Transcript {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Terminal == nil {
		opts.Terminal = func(string) (Command, bool) { return Command{}, false }
	}
	if opts.Width <= 0 {
		opts.Width = 80
	}
	t := &Transcript{opts: opts}
	t.unrecorded = Unrecorded{opts: &t.opts, holding: &t.holding, pending: &t.pending}
	t.blocks = Blocks{opts: &t.opts, pending: &t.pending, holding: &t.holding, unrecorded: &t.unrecorded}
	t.calls = Calls{opts: &t.opts, blocks: &t.blocks, holding: &t.holding, running: &t.running}
	t.runs.calls = &t.calls
	t.drawing = Drawing{opts: &t.opts, blocks: &t.blocks, pending: &t.pending, painter: painter{&t.opts, &t.pending}}
	t.clear()
	return t
}

func (t *Transcript) clear() {
	t.pending, t.holding, t.unrecorded.blocks = pending{}, holding{}, nil
	t.blocks.list, t.blocks.byID = nil, map[string]*Block{}
	t.calls.clear()
	t.notices, t.endings = map[string]*Block{}, map[string]*ending{}
	t.running.plan, t.running.prompt, t.running.planned = nil, nil, nil
}

// The parts of a transcript.

func (t *Transcript) Blocks() *Blocks         { return &t.blocks }
func (t *Transcript) Calls() *Calls           { return &t.calls }
func (t *Transcript) Runs() *Runs             { return &t.runs }
func (t *Transcript) Drawing() *Drawing       { return &t.drawing }
func (t *Transcript) Unrecorded() *Unrecorded { return &t.unrecorded }
