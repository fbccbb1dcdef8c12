package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// The calls of a subagent, and what it says, stand below the call that it is. Agents name that call, or the subagent; what a
// subagent says they do not mark at all, but some tell of each piece of text, just before it, who says it.

// The kinds of items that are no calls: what a subagent says and thinks.
const (
	saying   acp.ToolKind = "_saying"
	thinking acp.ToolKind = "_thinking"
)

// maxPieces is how many pieces of text are remembered whose chunks have not come.
const maxPieces = 64

// piece is a text whose chunk is about to come, and the subagent that says it; "" for the agent itself.
type piece struct{ text, agent string }

// Subagent notes which call a subagent is.
func (t *Transcript) Subagent(id, call string) {
	if id != "" && call != "" {
		t.agents[id] = call
	}
}

// Speaks notes who says the text of a chunk that is about to come: a subagent, or the agent itself if that is "".
func (t *Transcript) Speaks(agent, text string) {
	if len(t.pieces) == maxPieces {
		t.pieces = t.pieces[1:]
	}
	t.pieces = append(t.pieces, piece{text, agent})
}

// speaker is the call whose subagent says the text of a chunk, nil if the agent itself does.
func (t *Transcript) speaker(c *acp.ContentChunk) *item {
	if it := t.calls[t.parentOf(c.Meta)]; it != nil {
		return it
	}

	text, ok := c.Content.(*acp.TextContent)
	if !ok || len(t.pieces) == 0 {
		return nil
	}

	i := slices.IndexFunc(t.pieces, func(p piece) bool { return p.text == text.Text })
	if i < 0 {
		return nil
	}

	agent := t.pieces[i].agent
	t.pieces = t.pieces[i+1:]
	return t.calls[t.agents[agent]]
}

// parentOf is the id of the call whose subagent makes a call, as two agents say it; "" if none is named.
func (t *Transcript) parentOf(meta acp.Meta) string {
	if len(meta) == 0 {
		return "" // as in most messages
	}

	var claude struct {
		Parent string `json:"parentToolUseId" acp:"id"`
	}
	var copilot struct {
		Agent string `json:"agentId" acp:"id"`
	}
	for name, into := range map[string]any{"claudeCode": &claude, "github.com/copilot": &copilot} {
		if raw, ok := meta[name]; ok {
			_ = acp.Unmarshal(raw, into) // another shape is not for us
		}
	}

	if claude.Parent != "" {
		return claude.Parent
	}
	if call := t.agents[copilot.Agent]; call != "" {
		return call
	}

	return copilot.Agent
}

// say adds to what a subagent says or thinks.
func (t *Transcript) say(parent *item, kind Kind, text string) {
	said := saying
	if kind == Thought {
		said = thinking
	}

	var it *item
	if n := len(parent.children); n > 0 && parent.children[n-1].call.Kind == said && !parent.children[n-1].over {
		it = parent.children[n-1]
	} else if strings.TrimSpace(text) == "" {
		return
	} else {
		it = t.newItem(fmt.Sprintf("%s/%d", parent.call.ID, len(parent.children)+1), parent)
		it.call.Title, it.call.Kind, it.call.Status = string(kind), said, string(acp.ToolCallCompleted)
		it.call.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text("")}}
	}

	it.speak(text)
	parent.stale = true // its result may repeat it
	t.touchItem(it)
}

// What is kept of a text of a subagent: of a longer one the middle is left out.
const (
	maxSaid  = 256 << 10
	keptSaid = 64 << 10 // at its beginning, and twice that at its end
)

// speak adds to the text of an item that is no call.
func (it *item) speak(text string) {
	it.said.WriteString(text)
	if it.said.Len() > maxSaid {
		all := it.said.String()
		head, tail := plain.Start(all, keptSaid), plain.Start(all, len(all)-2*keptSaid)
		it.said.Reset()
		it.said.WriteString(all[:head] + "\n… " + Size(tail-head) + " left out …\n" + all[tail:])
	}
	it.call.Content[0].(*acp.Content).Content.(*acp.TextContent).Text = it.said.String() // which copies nothing
}

// speech reports whether an item is what a subagent says or thinks, or is asked, and no call.
func (it *item) speech() bool {
	return it.call.Kind == saying || it.call.Kind == thinking || it.call.Kind == asking
}

// calls is how many calls are below an item.
func (it *item) calls() int {
	n := 0
	for _, child := range it.children {
		if !child.speech() {
			n++
		}
	}
	return n
}

// busy reports whether a call, or one below it, is not over.
func (it *item) busy() bool {
	return !it.call.finished() || slices.ContainsFunc(it.children, (*item).busy)
}

// speechRows draws what a subagent says, as far to the right as the words of its calls.
func speechRows(c *Call) []row {
	var rows []row
	for _, r := range outputRows(strings.Join(c.Texts(), "\n")) {
		text := "  " + strings.TrimPrefix(r.text, indent)
		if c.Kind == saying {
			rows = append(rows, row{text: text})
			continue
		}
		r = row{text: text}
		r.mark(0, len(text), thought)
		rows = append(rows, r)
	}
	return rows
}

// repeats reports whether a text of a call is what its subagent said last.
func (it *item) repeats(text string) bool {
	n := len(it.children)
	return n > 0 && it.children[n-1].speech() && plain.Words(text) == plain.Words(strings.Join(it.children[n-1].call.Texts(), "\n"))
}

// whole is everything that a call and those below it carry, as text.
func (it *item) whole() string {
	if it.speech() {
		return strings.Join(it.call.Texts(), "\n") + "\n"
	}
	text := it.call.whole()
	for _, child := range it.children {
		text += "\n" + child.whole()
	}
	return text
}
