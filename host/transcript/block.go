package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// Kind is the kind of a block.
type Kind string

const (
	partSize  = 32 << 10    // a longer text is recorded in parts, so that written ones are not written again
	maxKept   = 256 << 10   // of a call's content
	keepEvery = time.Second // growing text
)

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

// Block is one part of a transcript.
type Block struct {
	ID   string
	Kind Kind

	gap        bool // an empty line precedes it
	open       bool // shows more than its first line; for kinds that fold
	set        bool // the user has opened or closed it: it no longer folds by itself
	closed     bool // later text starts a new block
	queued     queue
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

// key is the id of a block in the record.
func (b *Block) key() string {
	if b.origin != "" {
		return b.origin
	}
	return b.ID
}

// over reports whether a block is unlikely to change.
func (b *Block) over() bool {
	switch b.Kind {
	case ToolUse:
		return !slices.ContainsFunc(b.items, (*item).running)
	case Plan:
		return false
	}
	return b.closed
}

// lead returns the lines before the text of a block: the gap, and a thought's head.
func (b *Block) lead() int {
	n := 0
	if b.gap {
		n++
	}
	if b.Kind == Thought {
		n++
	}
	return n
}

// first puts the lead before the first lines of a block.
func (b *Block) first(op Op) Op {
	lead := make([]string, b.lead())
	op.From -= len(lead)
	op.Lines = append(lead, op.Lines...)
	op.Marks.Move(len(lead), 0)
	for i := range op.Virt {
		op.Virt[i].Row += len(lead)
	}
	return op
}

// cut keeps the ends of a text that is drawn. It is drawn as these are when all is drawn anew.
func (b *Block) cut() bool {
	old := &b.text
	text := []byte(cutText(string(old.text)))
	b.text = prose{
		text: text, at: len(text), lines: old.lines, head: old.head, renders: old.renders, tone: old.tone, seen: len(text), finished: true,
	}
	b.partAt = min(b.partAt, len(text))
	return true
}

// pends reports whether not all of a closed text is recorded, and drawn as far as it will be.
func (b *Block) pends() bool {
	return b.unrecorded || b.queued != unqueued || !b.drawn || b.text.seen != len(b.text.text)
}

// cutText returns the ends of a text, and says how much there was between them.
func cutText(text string) string {
	head, tail := plain.Cut(text, keptEnd), plain.Tail(text, keptEnd)
	return fmt.Sprintf("%s\n… %s are not kept in memory …\n%s", head, Size(len(text)-len(head)-len(tail)), tail)
}

// parts returns the entries of a growing text: completed parts, then the rest.
func (b *Block) parts(e record.Entry, role record.Role) []record.Entry {
	var list []record.Entry
	add := func(text []byte) {
		e.Role, e.Text = role, string(text)
		if b.part > 0 {
			e.ID, e.Data.Part = b.ID+"."+strconv.Itoa(b.part), true
		}
		list = append(list, e)
	}
	for len(b.text.text)-b.partAt > partSize {
		end := plain.Start(b.text.text, b.partAt+partSize)
		add(b.text.text[b.partAt:end])
		b.part, b.partAt = b.part+1, end
	}

	add(b.text.text[b.partAt:])
	return list
}

// rowOf returns the row of the head of a call, 0 if it has none.
func (b *Block) rowOf(it *item) int {
	return max(slices.IndexFunc(b.rows, func(r row) bool { return r.head == it.id }), 0)
}

// own is the user's own text of a prompt.
func (b *Block) own() string {
	text := b.text.String()
	if b.words > 0 && b.words <= len(text) {
		return text[:b.words]
	}
	return text
}
