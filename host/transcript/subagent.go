package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The calls of a subagent, and what it says, stand below the call that it is. Agents name that call, or the subagent; what a
// subagent says they do not mark at all, but some tell of each piece of text, just before it, who says it.

// maxPieces is how many pieces of text are remembered whose chunks have not come.
const maxPieces = 64

// piece is a text whose chunk is about to come, and the subagent that says it; "" for the agent itself.
type piece struct{ text, agent string }

// Subagent notes which call a subagent is.
func (s *Calls) Subagent(id, call string) {
	if id != "" && call != "" {
		s.agents[id] = call
	}
}

// Speaks notes who says the text of a chunk that is about to come: a subagent, or the agent itself if that is "".
func (s *Calls) Speaks(agent, text string) {
	if len(s.pieces) == maxPieces {
		s.pieces = s.pieces[1:]
	}
	s.pieces = append(s.pieces, piece{text, agent})
}

// speaker is the call whose subagent says the text of a chunk, nil if the agent itself does.
func (s *Calls) speaker(c *acp.ContentChunk) *item {
	if it := s.byID[s.parentOf(c.Meta)]; it != nil {
		return it
	}

	text, ok := c.Content.(*acp.TextContent)
	if !ok || len(s.pieces) == 0 {
		return nil
	}

	i := slices.IndexFunc(s.pieces, func(p piece) bool { return p.text == text.Text })
	if i < 0 {
		return nil
	}

	agent := s.pieces[i].agent
	s.pieces = s.pieces[i+1:]
	return s.byID[s.agents[agent]]
}

// parentOf is the id of the call whose subagent makes a call, as two agents say it; "" if none is named.
func (s *Calls) parentOf(meta acp.Meta) string {
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
	if call := s.agents[copilot.Agent]; call != "" {
		return call
	}

	return copilot.Agent
}

// say adds to what a subagent says or thinks.
func (s *Calls) say(parent *item, kind Kind, text string) {
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
		it = s.newItem(fmt.Sprintf("%s/%d", parent.call.ID, len(parent.children)+1), parent)
		it.call.Title, it.call.Kind, it.call.Status = string(kind), said, string(acp.ToolCallCompleted)
		it.call.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text("")}}
	}

	it.speak(text)
	parent.stale = true // its result may repeat it
	s.touchItem(it)
}
