package session

import "strconv"

// ownTool begins the ids of calls that are shown for the agent.
const ownTool = "nvim-acp/tool/"

// SetToolServer notes the name by which the agent knows the server of the editor's tools, "" if it has none.
func (s *State) SetToolServer(name string) {
	s.toolServer = name
	s.changed()
}

// ToolClients notes that connections to the editor's tools have come, or with a negative number gone.
func (s *State) ToolClients(more int) {
	s.toolClients += more
	s.changed()
}

// tools says in a word whether the agent has the editor's tools: "" if it is not given them, "offered", or "connected".
func (s *State) tools() string {
	switch {
	case s.toolClients > 0:
		return "connected"
	case s.toolServer != "" && s.connection != nil:
		return "offered"
	}
	return ""
}

// ToolIsShown reports whether the transcript shows the agent's own word on a use of a tool of the editor's, which no other use
// has claimed.
func (s *State) ToolIsShown(tool, title string) bool {
	shown := s.log.ClaimTool(s.toolServer, tool, title)
	if shown {
		s.draw(Soon)
	}
	return shown
}

// ShownTool returns the id of the agent's own call of a tool that is under way, "" if none is shown.
func (s *State) ShownTool(tool string) string { return s.log.ToolCall(s.toolServer, tool) }

// NewTool returns the id of a new call that is shown for the agent.
func (s *State) NewTool() string {
	s.toolUses++
	return ownTool + strconv.Itoa(s.toolUses)
}

// ToolUsed shows a use of a tool of the editor's, unless the agent has said meanwhile that it uses it.
func (s *State) ToolUsed(tool, title string) {
	if s.ToolIsShown(tool, title) || s.log.ShowsTool(ownTool, title) {
		return
	}
	s.log.ToolUsed(s.NewTool(), title)
	s.draw(Soon)
}
