package session

import "strconv"

// SetToolServer notes the name by which the agent knows the server of the editor's tools, "" if it has none.
func (s *State) SetToolServer(name string) { s.toolServer = name }

// ToolIsShown reports whether the transcript shows the agent's own word on a use of a tool of the editor's, which no other use
// has claimed.
func (s *State) ToolIsShown(tool string) bool { return s.log.ClaimTool(s.toolServer, tool) }

// ToolUsed shows a use of a tool of the editor's, unless the agent has said meanwhile that it uses it.
func (s *State) ToolUsed(tool, title string) {
	if s.ToolIsShown(tool) {
		return
	}
	s.toolUses++
	s.log.ToolUsed("nvim-acp/tool/"+strconv.Itoa(s.toolUses), title)
	s.draw(Soon)
}
