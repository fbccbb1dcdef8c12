package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// ClaimTool reports whether the running turn shows a call of a tool of an MCP server, by the words of its agent, and takes that
// call for one use of the tool. Args are the texts of the use's arguments, which tell several calls apart. If it is clear which call
// that is, it is shown with the title of the use.
func (s *Calls) ClaimTool(server, tool, title string, args []string) bool {
	it, sure := s.toolCallWith(args, func(it *item) bool { return !it.claimed && it.isTool(server, tool) })
	if it == nil {
		return false
	}
	it.claimed = true
	if sure {
		it.call.label = plain.OneLine(title)
		s.touchItem(it)
	}
	return true
}

// toolCallWith returns the call of the running turn that fits and has texts in its input, else the first that fits. It is sure if it
// is the only one, or has the texts.
func (s *Calls) toolCallWith(args []string, fits func(it *item) bool) (found *item, sure bool) {
	var list []*item
	for _, it := range s.byID {
		if it.turn == s.running.turns && fits(it) {
			list = append(list, it)
		}
	}

	if len(list) == 0 {
		return nil, false
	}

	slices.SortFunc(list, func(a, b *item) int { return a.began.Compare(b.began) })
	if i := slices.IndexFunc(list, func(it *item) bool { return len(args) > 0 && it.call.hasArgs(args) }); i >= 0 {
		return list[i], true
	}

	return list[0], len(list) == 1
}

// hasArgs reports whether the raw input of a call has all of some texts.
func (c *Call) hasArgs(args []string) bool {
	texts := c.Input().Texts()
	return !slices.ContainsFunc(args, func(arg string) bool { return !slices.Contains(texts, arg) })
}

// ToolCall returns the id of the call of a tool of a server that is not finished, that with the texts if there are several; "" if
// there is none.
func (s *Calls) ToolCall(server, tool string, args []string) string {
	it, _ := s.toolCallWith(args, func(it *item) bool { return s.live[it] && it.isTool(server, tool) })
	if it == nil {
		return ""
	}
	return it.call.ID
}

// ToolMade shows what a use of a tool has changed with the agent's call of it, whose own content may follow. It reports whether
// there is such a call.
func (s *Calls) ToolMade(server, tool string, args []string, diffs []*acp.Diff) bool {
	it, sure := s.toolCallWith(args, func(it *item) bool { return it.call.made == nil && it.isTool(server, tool) })
	if !sure {
		return false
	}
	c := it.call
	c.made, c.Kind = diffs, acp.ToolKindEdit
	c.replace(c.Content)
	s.active, s.moved = it, true
	s.touchItem(it)
	return true
}

// ShowsTool reports whether the running turn shows a call with a title that is shown for the agent, by the beginning of its id.
func (s *Calls) ShowsTool(own, title string) bool {
	for id, it := range s.byID {
		if it.turn == s.running.turns && strings.HasPrefix(id, own) && it.call.Title == title && !it.claimed {
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

// ToolUsed shows a call of a tool that its agent says nothing of, and what it has changed.
func (s *Calls) ToolUsed(id, title string, diffs []*acp.Diff) {
	call := &acp.ToolCall{ToolCallID: id, Title: title, Kind: acp.ToolKindRead, Status: acp.ToolCallCompleted}
	for _, d := range diffs {
		call.Kind = acp.ToolKindEdit
		call.Content = append(call.Content, d)
	}
	s.toolCall(call)
	if it := s.byID[id]; it != nil {
		it.claimed = true
	}
}
