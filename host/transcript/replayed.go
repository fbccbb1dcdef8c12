package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// What an agent replays of a session is often less than what was shown of it: partial answers, thoughts and notices are missing,
// and some make words of the user's of what they have told themselves. So it only adds to what is here.

// ownWords are the beginnings of what an agent replays as the user's words and nobody has said.
var ownWords = []string{"<session_context>", "[Function Response:"}

// ofUser is what of a replayed text the user has said.
func ofUser(text string) string {
	for _, begin := range ownWords {
		if strings.HasPrefix(strings.TrimSpace(text), begin) {
			_, rest, _ := strings.Cut(text, "</session_context>")
			return strings.TrimLeft(rest, "\n ")
		}
	}
	return text
}

// HasPrompts reports whether the user has said anything in it.
func (t *Transcript) HasPrompts() bool {
	return slices.ContainsFunc(t.blocks, func(b *Block) bool { return b.Kind == User })
}

// Add adds what a replay of the same session has and t lacks. The two are aligned by the user's prompts; what belongs into an
// earlier turn comes at the end, too. Nothing of t is changed. The replay must not be used any more.
func (t *Transcript) Add(replay *Transcript) {
	turns := t.split()
	at := 0 // turns before are past
	for _, r := range replay.split() {
		i := slices.IndexFunc(turns[at:], func(own round) bool { return samePrompt(own.prompt, r.prompt) })
		switch {
		case i >= 0:
			at += i
			t.addBlocks(turns[at], r.blocks)
		case r.prompt != "":
			t.addBlocks(round{}, append([]*Block{r.head}, r.blocks...))
		}
	}
	t.endText()
}

// round is a turn as a transcript has it: a prompt, and what follows it.
type round struct {
	prompt string
	head   *Block
	blocks []*Block
}

func (t *Transcript) split() []round {
	var list []round
	for _, b := range t.blocks {
		switch {
		case b.Kind == User:
			prompt := b.text.String()
			if b.words > 0 && b.words <= len(prompt) {
				prompt = prompt[:b.words]
			}
			list = append(list, round{prompt: squeezed(prompt), head: b})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.blocks = append(last.blocks, b)
		}
	}
	return list
}

// squeezed is a text without what differs between two copies of it.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// samePrompt reports whether a replayed prompt is one of ours, to which the agent or we may have added something.
func samePrompt(own, replayed string) bool {
	return own == replayed || own != "" && (strings.HasPrefix(replayed, own) || len(own) > 20 && strings.Contains(replayed, own))
}

// addBlocks adds those blocks of a replayed turn that a turn of ours lacks.
func (t *Transcript) addBlocks(own round, replayed []*Block) {
	for _, b := range replayed {
		switch b.Kind {
		case User:
			t.take(b, b.text.String())
		case Agent, Thought:
			t.take(b, lacking(own.texts(b.Kind), b.text.String()))
		case ToolUse:
			for _, it := range b.items {
				t.takeCall(own, it)
			}
		case Plan:
			if !slices.ContainsFunc(own.blocks, func(o *Block) bool { return o.Kind == Plan }) {
				t.add(Plan).plan = b.plan
			}
		}
	}
}

func (s round) texts(kind Kind) string {
	var out strings.Builder
	for _, b := range s.blocks {
		if b.Kind == kind {
			out.WriteString(b.text.String() + "\n")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

// lacking is what of a replayed text is not in ours: nothing, the rest of what ours begins, or all of it.
func lacking(own, replayed string) string {
	if strings.Contains(squeezed(own), squeezed(replayed)) {
		return ""
	}
	if rest, ok := strings.CutPrefix(replayed, own); ok {
		return strings.TrimLeft(rest, "\n ")
	}
	return replayed
}

// take adds a text as a block of its own.
func (t *Transcript) take(b *Block, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.add(b.Kind).text.append(text)
}

// takeCall adds a replayed call, and those below it, unless ours has it.
func (t *Transcript) takeCall(own round, it *item) {
	if own.has(it.call) {
		return
	}
	c := *it.call
	if !c.finished() {
		c.Status = cancelled
	}
	added := t.newItem(c.ID, nil)
	added.call, added.began = &c, it.began
	t.touchItem(added)
	for _, child := range it.under {
		t.takeCall(own, child)
	}
}

// has reports whether a turn has a call, by its id or by what it says.
func (s round) has(c *Call) bool {
	var in func(items []*item) bool
	in = func(items []*item) bool {
		return slices.ContainsFunc(items, func(it *item) bool {
			return it.call.ID == c.ID || it.call.Kind == c.Kind && it.call.Heading() == c.Heading() || in(it.under)
		})
	}
	return slices.ContainsFunc(s.blocks, func(b *Block) bool { return in(b.items) })
}

// replayedChunk is a chunk of the user's words in a replay, without what nobody has said; nil if that is all.
func replayedChunk(c *acp.ContentChunk) *acp.ContentChunk {
	text, ok := c.Content.(*acp.TextContent)
	if !ok {
		return c
	}
	said := ofUser(text.Text)
	if said == text.Text {
		return c
	}
	if said == "" {
		return nil
	}
	return &acp.ContentChunk{Content: acp.Text(said), MessageID: c.MessageID}
}
