package session

import (
	"slices"
	"strconv"

	"github.com/nvim-acp/nvim-acp/acp"
)

// ownTool begins the ids of calls that are shown for the agent.
const ownTool = "nvim-acp/tool/"

// SetToolServer notes the name by which the agent knows the server of the editor's tools, "" if it has none.
func (s *State) SetToolServer(name string) {
	s.tools.server = name
	s.changed()
}

// ToolClients notes that connections to the editor's tools have come, or with a negative number gone.
func (s *State) ToolClients(more int) {
	s.tools.clients += more
	s.changed()
}

// ToolsGone says that an agent which goes on has no connection to the editor's tools any more.
func (s *State) ToolsGone(c Connection) {
	if c != nil && s.Serves(c) && s.tools.clients == 0 {
		s.log.Say("the agent has let go of the editor's tools; :AcpRestart offers them again", "AcpWarning")
		s.changed()
	}
}

// ToolsRefused says, once, why an agent has not connected to the editor's tools that it was given; nothing if it has.
func (s *State) ToolsRefused(why string) {
	if !s.tools.refused && s.toolsState() == "offered" {
		s.tools.refused = true
		s.log.Say(why, "AcpWarning")
		s.changed()
	}
}

// tools says in a word whether the agent has the editor's tools: "" if it is not given them, "offered", or "connected".
func (s *State) toolsState() string {
	switch {
	case s.tools.clients > 0:
		return "connected"
	case s.tools.server != "" && s.link.agent() != nil:
		return "offered"
	}
	return ""
}

// ToolUse is a use of a tool of the editor's.
type ToolUse struct {
	Tool  string
	Title string   // for the user
	Args  []string // the texts of its arguments

	made []*acp.Diff
}

// UseTool notes a use of a tool. If the transcript does not show the agent's own word on it yet, it returns the use, which is
// awaited until [State.ShowTool].
func (s *State) UseTool(u ToolUse) *ToolUse {
	if s.claimTool(&u) {
		return nil
	}
	s.tools.uses = append(s.tools.uses, &u)
	return &u
}

// claimTool reports whether the transcript shows the agent's own word on a use of a tool, which no other use has claimed.
func (s *State) claimTool(u *ToolUse) bool {
	shown := s.log.ClaimTool(s.tools.server, u.Tool, u.Title, u.Args)
	if shown {
		s.draw(Soon)
	}
	return shown
}

// ShownTool returns the id of the agent's own call of a tool that is under way, "" if none is shown.
func (s *State) ShownTool(u ToolUse) string { return s.log.ToolCall(s.tools.server, u.Tool, u.Args) }

// NewTool returns the id of a new call that is shown for the agent.
func (s *State) NewTool() string {
	s.tools.made++
	return ownTool + strconv.Itoa(s.tools.made)
}

// ToolMade notes what a use of a tool has changed, which is shown with it.
func (s *State) ToolMade(u ToolUse, diffs []*acp.Diff) {
	if !s.log.ToolMade(s.tools.server, u.Tool, u.Args, diffs) {
		for _, awaited := range s.tools.uses {
			if awaited.Tool == u.Tool && awaited.Title == u.Title && awaited.made == nil {
				awaited.made = diffs
				break
			}
		}
	}
	s.draw(Soon)
}

// ShowTool shows a use of a tool that is still awaited, and those before it: by the agent's own word, or a call of ours.
func (s *State) ShowTool(u *ToolUse) {
	s.showTools(slices.Index(s.tools.uses, u) + 1)
}

// showTools shows the first uses that are awaited. An agent does not say later than at the end of its turn that it has used a tool.
func (s *State) showTools(count int) {
	for _, u := range s.tools.uses[:count] {
		switch {
		case s.claimTool(u):
			if u.made != nil {
				s.log.ToolMade(s.tools.server, u.Tool, u.Args, u.made)
			}
		case s.log.ShowsTool(ownTool, u.Title):
		default:
			s.log.ToolUsed(s.NewTool(), u.Title, u.made)
		}
		s.draw(Soon)
	}

	s.tools.uses = slices.Delete(s.tools.uses, 0, count)
}
