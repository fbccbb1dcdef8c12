package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// An agent's replay is often less than the transcript: partial answers, thoughts and notices are missing, and some agents
// replay internal messages as the user's. So a replay only adds to the transcript.

// Add adds the entries that a replay of the same session has and t lacks, each in its place. The two are aligned by the user's
// prompts; existing entries stay. The running turn is no part of what was replayed. It reports whether all is to be drawn anew. Add may
// be called again when the replay has grown; while it goes on, its last prompt may not be all of it.
func (t *Transcript) Add(replay *Transcript, goesOn bool) (moved bool) {
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
			t.addBlocks(own, r.blocks)
			end = own.end()
		case r.prompt != "" && !(goesOn && k == len(replayed)-1 && len(r.blocks) == 0):
			t.blocks.behind.at = end
			t.addBlocks(round{}, append([]*Block{r.head}, r.blocks...))
			end = t.blocks.behind.at
		}
	}

	t.blocks.behind.at = nil
	if !t.blocks.behind.inserted {
		if !t.running.turn { // whose text goes on
			t.blocks.endText()
		}
		return false
	}

	t.blocks.behind.inserted = false
	t.blocks.spread()
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
		switch b.Kind {
		case User:
			t.addText(b, b.text.String())
		case Agent, Thought:
			text, rest := own.lacking(b)
			if t.addText(b, text); rest {
				own.blocks = slices.DeleteFunc(slices.Clone(own.blocks), func(o *Block) bool { return o.Kind == b.Kind })
			}
		case ToolUse:
			for _, it := range b.items {
				t.addCall(own, it, nil, used)
			}
		case Plan:
			if !slices.ContainsFunc(own.blocks, func(o *Block) bool { return o.Kind == Plan }) {
				t.blocks.add(Plan).plan = b.plan
			}
		}
	}
}

// addText adds a text as a block of its own, or the rest of a word to the block that has its beginning.
func (t *Transcript) addText(b *Block, text string) {
	rest := strings.TrimLeft(text, spaces)
	if rest == "" {
		return
	}

	at := t.blocks.behind.at
	if at != nil && at.Kind == b.Kind && !at.restored && rest == text && text != b.text.String() && !at.endsInSpace() {
		at.text.append(text)
		t.blocks.touch(at)
		t.blocks.behind.inserted = true // it is drawn again
		return
	}

	added := t.blocks.add(b.Kind)
	added.began = b.began
	added.text.append(rest)
	t.blocks.close(added)
}

// addCall adds a replayed call, and those below it, unless the turn has it; of a run that it has, what is missing below it, and of a call
// that was lost with its agent the end.
func (t *Transcript) addCall(own round, it, parent *item, used map[*item]bool) {
	if have := own.find(it.call, used); have != nil {
		used[have] = true
		if have.call.unheard() && it.call.finished() && have.call.Status != it.call.Status {
			have.call = it.call.Clone()
			t.calls.touchItem(have)
		}
		t.addLacking(own, it, have, used)
		return
	}

	c := it.call.Clone()
	if !c.finished() && c.Kind != runKind {
		c.Status = cancelled
	}

	live := t.calls.byID[c.ID]
	added := t.calls.newItem(c.ID, parent)
	added.call, added.began = c, it.began
	if t.running.turn { // which has not made it
		added.turn--
		if live != nil && live.turn == t.running.turns {
			t.calls.byID[c.ID] = live
		}
	}
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

const spaces = " \t\r\n"

// endsInSpace reports whether the text of a block does not end within a word.
func (b *Block) endsInSpace() bool {
	text := b.text.String()
	return strings.TrimRight(text, spaces) != text
}

// A replay may come while the next turn runs. What is of the replay, and what of the turn, is told by what the transcript has.

// Echo returns where, in the user's chunks that have come in the running turn, the echo of its prompt begins; the chunks before it, all if
// there is none, are of a replay, nil if none has begun. Where the prompt is also the next that is to be replayed, it is taken for that, of
// a replay that has not begun only if it is the first of all. Some agents repeat it more than once.
func (t *Transcript) Echo(replay *Transcript, asked []*acp.ContentChunk) int {
	left, begun := t.past(), ""
	if replay == nil {
		left = left[:min(1, len(left))]
	} else {
		at := t.replayed(replay)
		if left = left[at.matched:]; at.own == nil && len(at.round.blocks) == 0 {
			begun = at.round.head.own()
		}
	}
	past := func(text string) bool {
		return slices.ContainsFunc(left, func(own round) bool { return samePrompt(own.prompt, plain.Words(text)) })
	}

	prompt, all, at := t.running.prompt.own(), askedText(asked), 0
	for i, c := range asked {
		before, text, first := all[:at], all[at:], at == 0 && begun == ""
		at += len(askedText(asked[i : i+1]))
		whole := text != "" && text == prompt
		if whole {
			before = begun + before
		}
		switch {
		case i > 0 && c.MessageID != "" && c.MessageID == asked[i-1].MessageID: // in a message
		case whole && (strings.TrimSpace(before) == "" && !past(text) || before != "" && past(before)):
			t.echo = ""
			return i
		case first && text != "" && (strings.HasPrefix(t.echo, text) || strings.HasPrefix(prompt, text)) && !past(text):
			t.echo = strings.TrimPrefix(t.echo, text)
			return i
		}
	}
	return len(asked)
}

// askedText is what the user has said in some chunks.
func askedText(chunks []*acp.ContentChunk) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString(ofUser(contentText(c.Content)))
	}
	return b.String()
}

// Replays reports whether an update that comes in a turn, while a replay does, is surely of the replay: something that a turn before
// has and that was not replayed yet, or of a turn that this has not.
func (t *Transcript) Replays(replay *Transcript, u acp.SessionUpdate) bool {
	at := t.replayed(replay)
	if at.own == nil {
		return at.begun
	}

	own, r := at.own, at.round
	if c, ok := u.(*acp.AgentMessageChunk); ok && strings.TrimSpace(contentText(c.Content)) == "" {
		return true
	}
	if plan, ok := u.(*acp.Plan); ok {
		return own.hasPlan(r, plan)
	}
	if own.endsIn(r) && !certain(u) && !own.hasThought(u) {
		return false
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
	}

	return false
}

// Ends reports whether an update is of the end of the last turn before the running one, which was cut off and is being replayed: a call
// that comes finished.
func (t *Transcript) Ends(replay *Transcript, u acp.SessionUpdate) bool {
	c, ok := u.(*acp.ToolCall)
	at := t.replayed(replay)
	return ok && (c.Status == acp.ToolCallCompleted || c.Status == acp.ToolCallFailed) && at.own != nil && at.own.cut()
}

// replayed is how far a replay has come.
type replayed struct {
	begun   bool
	round   round  // the last of it …
	own     *round // … as the transcript has it, nil if it has not
	matched int    // turns of the transcript up to that
}

func (t *Transcript) replayed(replay *Transcript) (at replayed) {
	past := t.past()
	list := replay.blocks.split()
	for k := range list {
		at.begun, at.round, at.own = true, list[k], nil
		if i := match(past[at.matched:], list[k:]); i >= 0 {
			at.matched += i + 1
			at.own = &past[at.matched-1]
		}
	}
	return at
}

// Resumes reports whether an update that follows what is in doubt is surely of a replay.
func (t *Transcript) Resumes(replay *Transcript, u acp.SessionUpdate) bool {
	return certain(u) && t.replayed(replay).own != nil && t.Replays(replay, u)
}

// certain reports whether an update can be recognized anywhere: by the id of a call, or by many words.
func certain(u acp.SessionUpdate) bool {
	const words = 40 // bytes that no agent says again by chance
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		return len(contentText(u.Content)) >= words
	case *acp.AgentThoughtChunk:
		return len(contentText(u.Content)) >= words
	case *acp.ToolCall:
		return !acp.NoID(u.ToolCallID)
	}
	return false
}

// WasReplayed reports whether a replay has ended with all of a turn that was not cut off.
func (t *Transcript) WasReplayed(replay *Transcript) bool {
	at := t.replayed(replay)
	return at.own != nil && !at.own.cut() && at.own.endsIn(at.round)
}

// OnlyTold reports whether a chunk of the user's has nothing but what the host has told the agent.
func OnlyTold(c *acp.ContentChunk) bool {
	return isTold(contentText(c.Content))
}

// Answer is what the agent itself has said in the running turn.
func (t *Transcript) Answer() string {
	i := slices.Index(t.blocks.list, t.running.prompt)
	return round{blocks: t.blocks.list[i+1:]}.texts(Agent)
}

// Reclaim takes back the text at the end of a replay that is not the end of one of the transcript: the running turn's words, which begin
// as something did before.
func (t *Transcript) Reclaim(replay *Transcript) []acp.SessionUpdate {
	at := t.replayed(replay)
	n := len(replay.blocks.list)
	if at.own == nil || len(at.round.blocks) == 0 {
		return nil
	}

	b := replay.blocks.list[n-1]
	words := plain.Words(b.text.String())
	has := func(o *Block) bool { return o.Kind == b.Kind && strings.HasSuffix(plain.Words(o.text.String()), words) }
	if words == "" || slices.ContainsFunc(at.own.blocks, has) || !strings.Contains(plain.Words(at.own.texts(b.Kind)), words) {
		return nil
	}

	chunk := acp.ContentChunk{Content: acp.Text(b.text.String())}
	switch b.Kind {
	case Agent:
		replay.blocks.list = replay.blocks.list[:n-1]
		return []acp.SessionUpdate{(*acp.AgentMessageChunk)(&chunk)}
	case Thought:
		replay.blocks.list = replay.blocks.list[:n-1]
		return []acp.SessionUpdate{(*acp.AgentThoughtChunk)(&chunk)}
	}
	return nil
}
