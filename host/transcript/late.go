package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

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
		return !t.live[t.calls[u.ToolCallID]] && (replay.calls[u.ToolCallID] != nil || own.hasCall(r, u))
	case *acp.Plan:
		return slices.ContainsFunc(own.blocks, func(b *Block) bool { return b.Kind == Plan && len(b.plan) == len(u.Entries) })
	}

	return false
}

// replayed returns the turn that is being replayed, and the same one of the transcript if that is the last before the running one.
func (t *Transcript) replayed(replay *Transcript) (own *round, r round, begun bool) {
	past, next := t.past(), 0
	for _, r = range replay.split() {
		begun, own = true, nil
		i := slices.IndexFunc(past[next:], func(o round) bool { return samePrompt(o.prompt, r.prompt) })
		if i < 0 {
			continue
		}
		if next += i + 1; next == len(past) {
			own = &past[next-1]
		}
	}
	return own, r, begun
}

// has reports whether a turn has a piece of text behind what was replayed of it, or the beginning of it, if the turn was cut off.
func (s round) has(r round, kind Kind, text string) bool {
	before := ""
	if n := len(r.blocks); n > 0 && r.blocks[n-1].Kind == kind {
		before = r.blocks[n-1].text.String()
	}
	ours, words := plain.Words(s.texts(kind)), plain.Words(before+text)
	cut := slices.ContainsFunc(s.blocks, func(b *Block) bool { return b.Kind == Fault })
	return strings.Contains(ours, words) || cut && strings.HasPrefix(words, ours) && len(plain.Words(before)) < len(ours)
}

// hasCall reports whether a turn has a call that was not replayed yet.
func (s round) hasCall(r round, u *acp.ToolCallUpdate) bool {
	used := map[*item]bool{}
	for _, b := range r.blocks {
		for _, it := range b.items {
			used[s.find(it.call, used)] = true
		}
	}
	c := &Call{ID: u.ToolCallID, Kind: acp.ToolKindOther}
	c.Patch(u)
	return s.find(c, used) != nil
}

// Reclaim takes back the text at the end of a replay that is not the end of one of the transcript: the running turn's words, which begin
// as something did before. It returns "" if there is none.
func (t *Transcript) Reclaim(replay *Transcript) (kind Kind, text string) {
	own, r, _ := t.replayed(replay)
	n := len(replay.blocks)
	if own == nil || len(r.blocks) == 0 {
		return "", ""
	}

	b := replay.blocks[n-1]
	text = b.text.String()
	for _, o := range own.blocks {
		if o.Kind == b.Kind && strings.HasSuffix(plain.Words(o.text.String()), plain.Words(text)) {
			return "", ""
		}
	}

	if b.Kind != Agent && b.Kind != Thought || !strings.Contains(plain.Words(own.texts(b.Kind)), plain.Words(text)) {
		return "", ""
	}

	replay.blocks = replay.blocks[:n-1]
	return b.Kind, text
}
