package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// ClaimTool reports whether the running turn shows a call of a tool of an MCP server, by the words of its agent, and takes that
// call for one use of the tool. If it is clear which call that is, it is shown with the title of the use.
func (t *Transcript) ClaimTool(server, tool, title string) bool {
	var found []*item
	for _, it := range t.calls {
		if it.turn == t.turns && !it.claimed && it.isTool(server, tool) {
			found = append(found, it)
		}
	}
	if len(found) == 0 {
		return false
	}
	found[0].claimed = true
	if len(found) == 1 {
		found[0].call.label = OneLine(title)
		t.touchItem(found[0])
	}
	return true
}

// ToolCall returns the id of the call of a tool of a server that is not finished, "" if there is none.
func (t *Transcript) ToolCall(server, tool string) string {
	for it := range t.live {
		if it.isTool(server, tool) {
			return it.call.ID
		}
	}
	return ""
}

// ShowsTool reports whether the running turn shows a call with a title that is shown for the agent, by the beginning of its id.
func (t *Transcript) ShowsTool(own, title string) bool {
	for id, it := range t.calls {
		if it.turn == t.turns && strings.HasPrefix(id, own) && it.call.Title == title && !it.claimed {
			it.claimed = true
			return true
		}
	}
	return false
}

// isTool reports whether a call is of a tool of a server. Once it is known to be, that stays.
func (it *item) isTool(server, tool string) bool {
	if it.tool == "" && it.call.isTool(server, tool) {
		it.tool = tool
	}
	return it.tool == tool
}

// isTool reports whether a call is, by its name or title, of a tool of a server: "mcp__nvim__read", "nvim_read", "read (nvim …)".
func (c *Call) isTool(server, tool string) bool {
	for _, text := range []string{c.Name, c.Title} {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
		})
		named, served := false, strings.EqualFold(c.Server, server)
		for _, word := range words {
			named, served = named || word == tool, served || word == server
		}
		if named && served {
			return true
		}
	}
	return false
}

// ToolUsed shows a call of a tool that its agent says nothing of.
func (t *Transcript) ToolUsed(id, title string) {
	t.toolCall(&acp.ToolCall{ToolCallID: id, Title: title, Kind: acp.ToolKindRead, Status: acp.ToolCallCompleted})
	if it := t.calls[id]; it != nil {
		it.claimed = true
	}
}
