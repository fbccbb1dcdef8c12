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

// ownWords are the beginnings of internal messages that agents replay as the user's.
var ownWords = []string{"<session_context>", "[Function Response:"}

// ofUser returns the user's part of a replayed prompt.
func ofUser(text string) string {
	text, _ = unsaved.Strip(text)
	for _, begin := range ownWords {
		if strings.HasPrefix(strings.TrimSpace(text), begin) {
			_, rest, _ := strings.Cut(text, "</session_context>")
			return strings.TrimLeft(rest, "\n ")
		}
	}
	return text
}

// HasPrompts reports whether the transcript has a prompt.
func (t *Transcript) HasPrompts() bool {
	return slices.ContainsFunc(t.blocks, func(b *Block) bool { return b.Kind == User })
}

// Add adds the entries that a replay of the same session has and t lacks. The two are aligned by the user's prompts; missing
// entries of earlier turns are added at the end too. Existing entries stay. The replay must not be used afterwards.
func (t *Transcript) Add(replay *Transcript) {
	turns := t.split()
	at := 0 // the first turn that can still match
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

// round is a turn of a transcript: a prompt, and the blocks after it.
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
			list = append(list, round{prompt: plain.Words(prompt), head: b})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.blocks = append(last.blocks, b)
		}
	}
	return list
}

// samePrompt reports whether a replayed prompt is one of the transcript's, to which the agent or the host may have added text.
func samePrompt(own, replayed string) bool {
	return own == replayed || own != "" && (strings.HasPrefix(replayed, own) || len(own) > 20 && strings.Contains(replayed, own))
}

// addBlocks adds the blocks of a replayed turn that a turn lacks.
func (t *Transcript) addBlocks(own round, replayed []*Block) {
	for _, b := range replayed {
		switch b.Kind {
		case User:
			t.addText(b, b.text.String())
		case Agent, Thought:
			t.addText(b, lacking(own.texts(b.Kind), b.text.String()))
		case ToolUse:
			for _, it := range b.items {
				t.addCall(own, it, nil)
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

// lacking returns the part of a replayed text that a turn lacks: none, the rest of a text that it has the beginning of, or all.
func lacking(own, replayed string) string {
	if strings.Contains(plain.Words(own), plain.Words(replayed)) {
		return ""
	}
	if rest, ok := strings.CutPrefix(replayed, own); ok {
		return strings.TrimLeft(rest, "\n ")
	}
	return replayed
}

// addText adds a text as a block of its own.
func (t *Transcript) addText(b *Block, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.add(b.Kind).text.append(text)
}

// addCall adds a replayed call, and those below it, unless the turn has it; of a run that it has, what is missing below it.
func (t *Transcript) addCall(own round, it, parent *item) {
	if have := own.find(it.call); have != nil {
		t.addLacking(own, it, have)
		return
	}
	c := *it.call
	if !c.finished() && c.Kind != runKind {
		c.Status = cancelled
	}
	added := t.newItem(c.ID, parent)
	added.call, added.began = &c, it.began
	t.touchItem(added)
	if c.Kind != runKind {
		added = nil
	}
	for _, child := range it.children {
		t.addCall(own, child, added)
	}
}

// addLacking adds what is below a replayed run and not below the same run of the transcript.
func (t *Transcript) addLacking(own round, it, have *item) {
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
			t.addCall(own, child, have)
		case !strings.Contains(words, plain.Words(text)):
			t.note(have, child.call.ID+"+", child.call.Kind, text)
		}
	}
}

// find returns the item of a turn that is a call, by its id or, unless it is a run or below one, by its content; nil if there is none.
func (s round) find(c *Call) *item {
	ours := strings.HasPrefix(c.ID, ofChild)
	var in func(items []*item) *item
	in = func(items []*item) *item {
		for _, it := range items {
			if it.call.ID == c.ID || !ours && it.call.Kind == c.Kind && it.call.Heading() == c.Heading() {
				return it
			}
			if found := in(it.children); found != nil {
				return found
			}
		}
		return nil
	}
	for _, b := range s.blocks {
		if found := in(b.items); found != nil {
			return found
		}
	}
	return nil
}

// replayedChunk returns the user's part of a replayed chunk; nil if it has none.
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
