package session

import (
	"slices"
	"strconv"

	"github.com/nvim-acp/nvim-acp/acp"
)

// ownTool begins the ids of calls that are shown for the agent.
const ownTool = "nvim-acp/tool/"

// Tools are those of the editor's, as the agent has them.
type Tools struct {
	screen  *Screen
	link    *Link
	server  Server
	clients int        // connections to it
	had     bool       // the agent has connected since it was given the server
	refused bool       // it was said why there are none
	made    int        // uses that the agent has not spoken of …
	uses    []*ToolUse // … and those that it may still speak of
}

// Server is the server of the editor's tools, as an agent is given it.
type Server struct {
	Name string // by which the agent knows it, "" if it has none
	HTTP bool   // clients may come and go with each call
}

// SetServer notes the server that the agent is given.
func (t *Tools) SetServer(s Server) {
	t.server, t.had = s, false
	t.screen.Refresh()
}

// Clients notes that connections to the editor's tools have come, or with a negative number gone.
func (t *Tools) Clients(more int) {
	t.clients += more
	t.had = t.had || more > 0
	t.screen.Refresh()
}

// Gone says that an agent which goes on has no connection to the editor's tools any more, where it would have one as long as it uses them.
func (t *Tools) Gone(c Connection) {
	if t.link.Serves(c) && t.clients == 0 && !t.server.HTTP {
		t.screen.Say("the agent has closed the editor's tools; :AcpRestart offers them again", "AcpWarning")
	}
}

// Refused says, once, why an agent has never connected to the editor's tools that it was given; nothing if it has.
func (t *Tools) Refused(why string) {
	if !t.refused && !t.had && t.state() == "offered" {
		t.refused = true
		t.screen.Say(why, "AcpWarning")
	}
}

// state says in a word whether the agent has the editor's tools: "" if it is not given them, "offered", or "connected".
func (t *Tools) state() string {
	switch {
	case t.link.Agent() == nil: // connections of one that was let go of are about to end
		return ""
	case t.clients > 0:
		return "connected"
	case t.server.Name != "":
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

// Use notes a use of a tool. If the transcript does not show the agent's own word on it yet, it returns the use, which is
// awaited until [Tools.Show].
func (t *Tools) Use(u ToolUse) *ToolUse {
	if t.claim(&u) {
		return nil
	}
	t.uses = append(t.uses, &u)
	return &u
}

// claim reports whether the transcript shows the agent's own word on a use of a tool, which no other use has claimed.
func (t *Tools) claim(u *ToolUse) bool {
	shown := t.screen.log.Calls().ClaimTool(t.server.Name, u.Tool, u.Title, u.Args)
	if shown {
		t.screen.draw(Soon)
	}
	return shown
}

// Shown returns the id of the agent's own call of a tool that is under way, "" if none is shown.
func (t *Tools) Shown(u ToolUse) string {
	return t.screen.log.Calls().ToolCall(t.server.Name, u.Tool, u.Args)
}

// New returns the id of a new call that is shown for the agent.
func (t *Tools) New() string {
	t.made++
	return ownTool + strconv.Itoa(t.made)
}

// Made notes what a use of a tool has changed, which is shown with it.
func (t *Tools) Made(u ToolUse, diffs []*acp.Diff) {
	if !t.screen.log.Calls().ToolMade(t.server.Name, u.Tool, u.Args, diffs) {
		for _, awaited := range t.uses {
			if awaited.Tool == u.Tool && awaited.Title == u.Title && awaited.made == nil {
				awaited.made = diffs
				break
			}
		}
	}
	t.screen.draw(Soon)
}

// Show shows a use of a tool that is still awaited, and those before it: by the agent's own word, or a call of ours.
func (t *Tools) Show(u *ToolUse) {
	t.show(slices.Index(t.uses, u) + 1)
}

// show shows the first uses that are awaited. An agent does not say later than at the end of its turn that it has used a tool.
func (t *Tools) show(count int) {
	for _, u := range t.uses[:count] {
		switch {
		case t.claim(u):
			if u.made != nil {
				t.screen.log.Calls().ToolMade(t.server.Name, u.Tool, u.Args, u.made)
			}
		case t.screen.log.Calls().ShowsTool(ownTool, u.Title):
		default:
			t.screen.log.Calls().ToolUsed(t.New(), u.Title, u.made)
		}
		t.screen.draw(Soon)
	}

	t.uses = slices.Delete(t.uses, 0, count)
}
