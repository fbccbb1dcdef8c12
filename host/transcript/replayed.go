package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// An agent's replay is often less than the transcript: partial answers, thoughts and notices are missing, and some agents
// replay internal messages as the user's. So a replay only adds to the transcript.

// Add adds the entries that a replay of the same session has and t lacks, each in its place. The two are aligned by the user's
// prompts; existing entries stay. The running turn is no part of what was replayed; with unanswered set, what the last replayed turn
// has beyond t is the running turn's answer. It reports whether all is to be drawn anew. Add may be called again when the replay has
// grown.
func (t *Transcript) Add(replay *Transcript, unanswered bool) (moved bool) {
	turns, replayed := t.past(), replay.blocks.split()
	next := 0 // the first turn that can still match
	end := t.before(turns)

	for k, r := range replayed {
		i := match(turns[next:], replayed[k:])
		switch {
		case i >= 0:
			own := turns[next+i]
			next += i + 1
			t.blocks.behind.at = own.head
			if unanswered && k == len(replayed)-1 && next == len(turns) && t.running.turn {
				own.rest = t.blocks.list[len(t.blocks.list)-1]
			}
			t.addBlocks(own, r.blocks)
			end = own.end()
		case r.prompt != "":
			t.blocks.behind.at = end
			t.addBlocks(round{}, append([]*Block{r.head}, r.blocks...))
			end = t.blocks.behind.at
		}
	}

	t.blocks.behind.at = nil
	if !t.blocks.behind.inserted {
		t.blocks.endText()
		return false
	}

	t.blocks.behind.inserted, t.blocks.list[0].gap = false, false
	for i := 1; i < len(t.blocks.list); i++ {
		t.blocks.list[i].gap = !t.blocks.list[i-1].aside() || !t.blocks.list[i].aside()
	}

	t.drawing.Redraw()
	return true
}

// past is the turns before the running one.
func (t *Transcript) past() []round {
	turns := t.blocks.split()
	if t.running.turn {
		i := slices.IndexFunc(turns, func(r round) bool { return r.head == t.running.prompt })
		if i >= 0 {
			turns = turns[:i]
		}
	}
	return turns
}

// before is the block behind which a turn comes that is not one of turns.
func (t *Transcript) before(turns []round) *Block {
	if n := len(turns); n > 0 {
		return turns[n-1].end()
	}
	switch i := slices.Index(t.blocks.list, t.running.prompt); {
	case t.running.turn && i > 0:
		return t.blocks.list[i-1]
	case t.running.turn:
		return &Block{closed: true} // above all
	}
	return nil
}

// addBlocks adds the blocks of a replayed turn that a turn lacks, behind those that it has and that come before them.
func (t *Transcript) addBlocks(own round, replayed []*Block) {
	used := map[*item]bool{}
	for _, b := range replayed {
		if have := own.last(b); have != nil && slices.Index(t.blocks.list, have) > slices.Index(t.blocks.list, t.blocks.behind.at) {
			t.blocks.behind.at = have
		}
		if own.rest != nil {
			t.blocks.behind.at = own.rest
		}
		switch b.Kind {
		case User:
			t.addText(b, b.text.String())
		case Agent, Thought:
			t.addText(b, lacking(own.texts(b.Kind), b.text.String()))
		case ToolUse:
			for _, it := range b.items {
				t.addCall(own, it, nil, used)
			}
		case Plan:
			if !slices.ContainsFunc(own.blocks, func(o *Block) bool { return o.Kind == Plan }) {
				t.blocks.add(Plan).plan = b.plan
			}
		}

		if own.rest != nil {
			own.rest = t.blocks.behind.at
		}
	}
}

// addText adds a text as a block of its own.
func (t *Transcript) addText(b *Block, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	added := t.blocks.add(b.Kind)
	added.text.append(text)
	t.blocks.close(added)
}

// addCall adds a replayed call, and those below it, unless the turn has it; of a run that it has, what is missing below it.
func (t *Transcript) addCall(own round, it, parent *item, used map[*item]bool) {
	if have := own.find(it.call, used); have != nil {
		used[have] = true
		t.addLacking(own, it, have, used)
		return
	}

	c := it.call.Clone()
	if !c.finished() && c.Kind != runKind {
		c.Status = cancelled
	}

	added := t.calls.newItem(c.ID, parent)
	added.call, added.began = c, it.began
	t.calls.touchItem(added)
	if c.Kind != runKind {
		added = nil
	}
	for _, child := range it.children {
		t.addCall(own, child, added, used)
	}
}

// addLacking adds what is below a replayed run and not below the same run of the transcript.
func (t *Transcript) addLacking(own round, it, have *item, used map[*item]bool) {
	if it.call.Kind != runKind {
		return
	}

	var said []string
	for _, child := range have.children {
		if child.speech() {
			said = append(said, child.call.Texts()...)
		}
	}

	words := plain.Words(strings.Join(said, " "))
	for _, child := range it.children {
		text := strings.Join(child.call.Texts(), "\n")
		switch {
		case !child.speech():
			t.addCall(own, child, have, used)
		case !strings.Contains(words, plain.Words(text)):
			t.runs.note(have, child.call.ID+"+", child.call.Kind, text)
		}
	}
}

// A replay may come while the next turn runs. What is of the replay, and what of the turn, is told by what the transcript has.

// Echoes reports whether a chunk repeats the running turn's prompt. Where that is also the first prompt of all, it is taken for the
// beginning of a replay.
func (t *Transcript) Echoes(c *acp.ContentChunk) bool {
	text, told := unsaved.Strip(contentText(c.Content))
	if text == "" {
		return told
	}
	if !strings.HasPrefix(t.echo, text) {
		return false
	}
	past := t.past()
	return len(past) == 0 || !samePrompt(past[0].prompt, plain.Words(text))
}

// HasAnswer reports whether something of the agent follows the running turn's prompt.
func (t *Transcript) HasAnswer() bool { return t.answered() }

// Replays reports whether an update that comes in a turn, while a replay does, is of the replay: of another turn than the last one
// before, or something that this has and that was not replayed yet.
func (t *Transcript) Replays(replay *Transcript, u acp.SessionUpdate) bool {
	own, r, begun := t.replayed(replay)
	if own == nil {
		return begun
	}

	whole := plain.Words(own.texts(Agent))
	if whole != "" && strings.HasSuffix(plain.Words(r.texts(Agent)), whole) {
		return false // the end of it was replayed
	}
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		return own.has(r, Agent, contentText(u.Content))
	case *acp.AgentThoughtChunk:
		return own.has(r, Thought, contentText(u.Content))
	case *acp.ToolCall:
		return own.hasCall(r, u.Update())
	case *acp.ToolCallUpdate:
		return !t.calls.live[t.calls.byID[u.ToolCallID]] && (replay.calls.byID[u.ToolCallID] != nil || own.hasCall(r, u))
	case *acp.Plan:
		return slices.ContainsFunc(own.blocks, func(b *Block) bool { return b.Kind == Plan && len(b.plan) == len(u.Entries) })
	}

	return false
}

// replayed returns the turn that is being replayed, and the same one of the transcript if that is the last before the running one.
func (t *Transcript) replayed(replay *Transcript) (own *round, r round, begun bool) {
	past, next := t.past(), 0
	list := replay.blocks.split()
	for k := range list {
		r, begun, own = list[k], true, nil
		i := match(past[next:], list[k:])
		if i < 0 {
			continue
		}
		if next += i + 1; next == len(past) {
			own = &past[next-1]
		}
	}
	return own, r, begun
}

// Reclaim takes back the text at the end of a replay that is not the end of one of the transcript: the running turn's words, which begin
// as something did before. It returns "" if there is none.
func (t *Transcript) Reclaim(replay *Transcript) (kind Kind, text string) {
	own, r, _ := t.replayed(replay)
	n := len(replay.blocks.list)
	if own == nil || len(r.blocks) == 0 {
		return "", ""
	}

	b := replay.blocks.list[n-1]
	text = b.text.String()
	for _, o := range own.blocks {
		if o.Kind == b.Kind && strings.HasSuffix(plain.Words(o.text.String()), plain.Words(text)) {
			return "", ""
		}
	}

	if b.Kind != Agent && b.Kind != Thought || !strings.Contains(plain.Words(own.texts(b.Kind)), plain.Words(text)) {
		return "", ""
	}

	replay.blocks.list = replay.blocks.list[:n-1]
	return b.Kind, text
}
