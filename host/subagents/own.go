package subagents

import (
	"encoding/json"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Own returns an update of a child with the ids of calls, and of terminals that the agent only reports, made unique in the transcript.
// Real reports whether a terminal is one of ours, whose id is unique. The update itself is not changed.
func Own(child string, u acp.SessionUpdate, real func(terminal string) bool) acp.SessionUpdate {
	switch u := u.(type) {
	case *acp.ToolCall:
		c := *u
		c.ToolCallID = transcript.ChildCall(child, c.ToolCallID)
		c.Content, c.Meta = content(child, c.Content, real), meta(child, c.Meta)
		return &c
	case *acp.ToolCallUpdate:
		c := *u
		c.ToolCallID = transcript.ChildCall(child, c.ToolCallID)
		c.Content.Value, c.Meta = content(child, c.Content.Value, real), meta(child, c.Meta)
		return &c
	}

	return u
}

func content(child string, list []acp.ToolCallContent, real func(string) bool) []acp.ToolCallContent {
	for i, c := range list {
		if term, ok := c.(*acp.Terminal); ok && !real(term.TerminalID) {
			own := *term
			own.TerminalID = transcript.ChildCall(child, own.TerminalID)
			list = append([]acp.ToolCallContent(nil), list...)
			list[i] = &own
		}
	}
	return list
}

// reported are the members of `_meta` by which agents report terminals of their own.
var reported = []string{"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"}

func meta(child string, from acp.Meta) acp.Meta {
	var own acp.Meta
	for _, name := range reported {
		var value map[string]any
		if raw, ok := from[name]; !ok || acp.Unmarshal(raw, &value) != nil {
			continue
		}

		id, ok := value["terminal_id"].(string)
		if !ok || id == "" {
			continue
		}

		value["terminal_id"] = transcript.ChildCall(child, id)
		out, err := json.Marshal(value)
		if err != nil {
			continue
		}
		if own == nil {
			own = acp.Meta{}
			for k, v := range from {
				own[k] = v
			}
		}

		own[name] = out
	}

	if own == nil {
		return from
	}

	return own
}
