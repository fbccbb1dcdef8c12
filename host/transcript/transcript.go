// Package transcript holds the blocks of a session's transcript, and turns them into lines and marks.
//
// It knows the protocol's updates and nothing of Neovim: an [Op] says which lines of which block are new. It is called by
// host.Session, which guards it with its own mutex; it starts no goroutine and calls nobody back.
package transcript

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Kind is the kind of a block.
type Kind string

// The kinds of blocks.
const (
	User    Kind = "user"
	Agent   Kind = "agent"
	Thought Kind = "thought"
	ToolUse Kind = "call"
	Plan    Kind = "plan"
	Notice  Kind = "notice"
	Message Kind = "message" // what the agent is told beside the user's words
	Fault   Kind = "error"
	TurnEnd Kind = "end"
)

// Icons are the glyphs the blocks are drawn with, all one cell wide.
type Icons struct {
	Bar     string `msgpack:"bar"`
	Open    string `msgpack:"open"`
	Closed  string `msgpack:"closed"`
	Ask     string `msgpack:"ask"`
	Done    string `msgpack:"done"`
	Failed  string `msgpack:"failed"`
	Now     string `msgpack:"now"`
	Pending string `msgpack:"pending"`
	Cut     string `msgpack:"cut"`
	Minus   string `msgpack:"minus"`
	Bullet  string `msgpack:"bullet"`
	Dot     string `msgpack:"dot"` // between words of ours
	Read    string `msgpack:"read"`
	Search  string `msgpack:"search"`
	Edit    string `msgpack:"edit"`
	Delete  string `msgpack:"delete"`
	Move    string `msgpack:"move"`
	Run     string `msgpack:"run"`
	Fetch   string `msgpack:"fetch"`
	Think   string `msgpack:"think"`
	Task    string `msgpack:"task"`
	Mode    string `msgpack:"mode"`
	Other   string `msgpack:"other"`
	Quote   string `msgpack:"quote"`
	Rule    string `msgpack:"rule"`
}

// Options configure how blocks are drawn.
type Options struct {
	Prefix       string // of the ids of blocks
	Icons        Icons
	FoldThoughts bool // thoughts show their first line only
	FoldCalls    bool // finished tool calls show their first line only
	Tail         int  // lines of a terminal shown under its call
	Width        int  // cells of a row; 0: 80
	Unseen       bool // no window shows it, and most likely none will: its Markdown is rendered once there is a width
	Cwd          string
	Now          func() time.Time                 // nil: time.Now
	Terminal     func(id string) (Command, bool)  // nil: no terminal is known
	Output       func(id string) string           // the kept text of a terminal; nil: Command.Tail
	Text         func(path string) (string, bool) // the text of a file as the user has it; nil: no file is known. It may wait
}

// Command is a terminal as a transcript shows it.
type Command struct {
	ID        string // for the editor
	Line      string // the command line
	Tail      []string
	Running   bool
	Exit      string // "exit 3", "SIGTERM"; empty while it runs and after success
	Truncated bool
	Took      time.Duration // so far, or until it ended
	Waiting   bool          // it seems to wait for input
	Display   bool          // the agent runs it and only reports it: its time and command line are the call's
}

// Transcript is one session's blocks in the order they came. The zero value is not usable; see [New]. Not safe for
// concurrent use.
type Transcript struct {
	opts    Options
	blocks  []*Block
	byID    map[string]*Block
	calls   map[string]*item   // by the agent's id
	live    map[*item]bool     // calls that are not finished, or may not be
	viewers map[string][]*item // calls that show a terminal, by its id
	agents  map[string]string  // calls by the subagents that they are
	below   *item              // the run whose child's update is being applied
	pieces  []piece            // of text, whose chunks have not come
	items   int                // created so far
	dirty   []*Block
	above   []*Block // the first blocks, which are drawn after all others: from the last of them on to the first
	work    work

	unrecorded unrecorded
	holding    holding

	active  *item             // the call that last sent a location
	moved   bool              // since Moved was asked
	notices map[string]*Block // compactions and similar, by id
	echo    string            // the rest of the prompt that the agent may echo
	said    string            // by the agent itself, since Said was asked
	loading bool
	running running
	behind  insertion
}

// work is what is to be rendered and highlighted.
type work struct {
	jobs   []*Job
	later  []*Job // of diffs that nobody has seen
	unseen []*Job // of Markdown, while no window shows any of it
}

// running is the latest turn.
type running struct {
	turn    bool        // it runs
	turns   int         // begun, or replayed
	prompt  *Block      // that began it
	plan    *Block      // of it
	planned []PlanEntry // as the agent sent it last
}

// insertion is where new blocks are put.
type insertion struct {
	at       *Block // behind this one; nil: at the end
	inserted bool   // one was put before others
}

// unrecorded is what is not in the record.
type unrecorded struct {
	blocks  []*Block
	decided []record.Entry // permissions
}

// Block is one part of a transcript.
type Block struct {
	ID   string
	Kind Kind

	gap        bool // an empty line precedes it
	open       bool // shows more than its first line; for kinds that fold
	set        bool // the user has opened or closed it: it no longer folds by itself
	closed     bool // later text starts a new block
	queued     bool // in dirty
	unrecorded bool // in the transcript's unrecorded blocks
	recordedAt time.Time

	restored bool   // it comes from the record …
	origin   string // … where this is its id
	after    string // it was added behind the block of this key, when others were behind that already
	steer    bool   // a prompt that was sent into a running turn

	part    int // of a long text, the finally recorded ones
	partAt  int // their bytes
	began   time.Time
	ended   time.Time
	message string // messageId of its chunks
	tone    string // group of a notice
	words   int    // bytes of a prompt's own text; its context follows

	text  prose
	other []acp.ContentBlock // content that is not text
	items []*item            // calls
	plan  []PlanEntry

	drawn bool  // the editor knows the block
	shown bool  // the editor shows more than its first line
	rows  []row // as drawn, for blocks that are drawn whole
	sent  *Data // as the editor has it, for blocks that are drawn whole
}

// PlanEntry is one step of a plan.
type PlanEntry struct {
	Text   string `msgpack:"text"`
	Status string `msgpack:"status"`
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
	t.clear()
	return t
}

func (t *Transcript) clear() {
	t.above = nil
	t.blocks, t.dirty, t.work.jobs, t.work.later, t.work.unseen, t.unrecorded.blocks, t.running.plan = nil, nil, nil, nil, nil, nil, nil
	t.active, t.running.prompt, t.running.planned = nil, nil, nil
	t.byID, t.calls, t.notices = map[string]*Block{}, map[string]*item{}, map[string]*Block{}
	t.live, t.viewers = map[*item]bool{}, map[string][]*item{}
	t.agents, t.pieces = map[string]string{}, nil
	t.holding = holding{}
}

// Empty reports whether there is nothing to show.
func (t *Transcript) Empty() bool { return len(t.blocks) == 0 }

func (t *Transcript) add(kind Kind) *Block {
	b := &Block{ID: t.opts.Prefix + "b" + strconv.Itoa(len(t.blocks)+1), Kind: kind}
	if !t.loading {
		b.began = t.opts.Now()
	}
	if last := t.last(); last != nil {
		b.gap = !last.aside() || !b.aside()
		t.close(last)
	}
	if t.behind.at != nil {
		t.insert(b)
	} else {
		t.blocks = append(t.blocks, b)
	}

	t.byID[b.ID] = b
	t.touch(b)
	return b
}

// last is the block behind which the next one comes.
func (t *Transcript) last() *Block {
	if t.behind.at != nil {
		return t.behind.at
	}
	if len(t.blocks) == 0 {
		return nil
	}
	return t.blocks[len(t.blocks)-1]
}

// close ends a block of text: later text starts another block.
func (t *Transcript) close(b *Block) {
	if b.closed {
		return
	}

	b.closed, b.ended = true, t.opts.Now()
	if b.Kind == Thought {
		t.touch(b)
	}
	if b.Kind == Agent {
		t.queueParts(b)
	}
	if b.Kind == Agent || b.Kind == Thought {
		t.holding.add(b, len(b.text.text))
	}
}

func (t *Transcript) touch(b *Block) {
	if !b.unrecorded && !b.restored {
		b.unrecorded = true
		t.unrecorded.blocks = append(t.unrecorded.blocks, b)
	}
	t.show(b)
}

// show marks a block for drawing without recording it again.
func (t *Transcript) show(b *Block) {
	if !b.queued {
		b.queued = true
		t.dirty = append(t.dirty, b)
	}
}

// Dirty reports whether there is something to draw.
func (t *Transcript) Dirty() bool { return len(t.dirty)+len(t.above) > 0 }

// Behind reports whether there is something to draw other than what comes after all else: the beginning of a transcript that is
// drawn anew.
func (t *Transcript) Behind() bool { return len(t.dirty) > 0 }

// endBlocks is how many blocks at the end are drawn first when all are drawn anew: more than a screen, in most cases.
const endBlocks = 20

// Redraw marks everything as not drawn, since the editor has lost its copy. The end of a long transcript is drawn first.
func (t *Transcript) Redraw() {
	for _, b := range t.blocks {
		b.drawn, b.shown, b.rows, b.sent = false, false, nil, nil
		b.text.rewind()
		b.queued = true
	}
	first := max(0, len(t.blocks)-endBlocks)
	t.above, t.dirty = slices.Clone(t.blocks[:first]), slices.Clone(t.blocks[first:])
}

// Toggle opens or closes a block that folds, or its part with the given id. It reports whether there is one.
func (t *Transcript) Toggle(id, part string) bool {
	b := t.byID[id]
	switch {
	case b == nil || !b.folds():
		return false
	case b.Kind == ToolUse:
		return t.toggleItem(b, part)
	}
	b.open, b.set = !t.shows(b), true
	b.text.rewind()
	t.show(b)
	return true
}

func (t *Transcript) toggleItem(b *Block, part string) bool {
	if group := t.groupOf(b.items, part); group != nil {
		to := 1
		if spread(group) {
			to = -1
		}
		for _, it := range group {
			it.spread, it.looked = to, true
		}
		t.show(b)
		return true
	}

	it := itemOf(b.items, part)
	if it == nil {
		return false
	}

	it.open, it.set, it.stale, it.looked = !t.showsItem(it), true, true, true
	t.show(b)
	return true
}

func (b *Block) folds() bool {
	switch b.Kind {
	case Thought, ToolUse, Plan, Fault, Message:
		return true
	case User:
		return b.text.long()
	}
	return false
}

// aside reports whether a block is not part of the conversation itself: such blocks have no empty lines between them.
func (b *Block) aside() bool { return b.Kind == Thought || b.Kind == ToolUse || b.Kind == Plan }

// shows reports whether a block shows more than its first line.
func (t *Transcript) shows(b *Block) bool {
	switch {
	case b.set:
		return b.open
	case b.Kind == Thought:
		return !t.opts.FoldThoughts
	case b.Kind == Plan:
		return !t.opts.FoldCalls
	}
	return b.Kind != Fault && b.Kind != Message && !(b.Kind == User && b.folds())
}

// Whole returns the whole text of a block, or of its part with the given id.
func (t *Transcript) Whole(id, part string) (text string, ok bool) {
	b := t.byID[id]
	if b == nil {
		return "", false
	}
	if b.Kind != ToolUse {
		return b.text.String(), true
	}

	items := t.groupOf(b.items, part)
	if it := itemOf(b.items, part); it != nil {
		items = []*item{it}
	}

	var parts []string
	for _, it := range items {
		parts = append(parts, it.whole())
	}

	return strings.Join(parts, "\n"), len(parts) > 0
}
