package session

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// A use of a tool that the agent says nothing of is shown as its turn ends, once and with what it has changed, not under the next
// prompt; one that the agent speaks of later in the turn is shown by its own words (behaviours 315, 463).
func TestToolUses(t *testing.T) {
	old := "x\n"
	diff := []*acp.Diff{{Path: "/p/a.go", OldText: &old, NewText: "y\n"}}
	s := busy(t)
	s.SetToolServer("nvim")
	silent := s.UseTool(ToolUse{Tool: "edit", Title: "Edit a.go", Args: []string{"a.go"}})
	late := s.UseTool(ToolUse{Tool: "read", Title: "Read b.go", Args: []string{"b.go"}})
	if silent == nil || late == nil {
		t.Fatal("the agent has said nothing, and it is shown")
	}
	s.ToolMade(ToolUse{Tool: "edit", Title: "Edit a.go", Args: []string{"a.go"}}, diff)
	s.Update(&acp.ToolCall{ToolCallID: "r", Title: "nvim_read", RawInput: acp.Raw(`{"path": "b.go"}`), Status: acp.ToolCallCompleted})
	s.EndTurn(s.turn, acp.StopEndTurn, nil, nil, nil)

	s.Prompt(Prompt{Text: "the next prompt"})
	s.ShowTool(silent) // as its time is over
	s.ShowTool(late)
	text := s.log.Markdown(transcript.Head{})
	turn, next, _ := strings.Cut(text, "the next prompt")
	if strings.Count(turn, "Edit a.go") != 1 || !strings.Contains(turn, "+y") || strings.Count(turn, "Read b.go") != 1 {
		t.Errorf("the turn shows %q", turn)
	}
	if strings.Contains(next, ".go") {
		t.Errorf("the next turn shows %q", next)
	}
	if files := s.log.EditedPaths(); len(files) != 0 {
		t.Errorf("the next turn has edited %q", files)
	}
}

// Uses of tools are shown in their order, whichever is over first (behaviour 315).
func TestToolOrder(t *testing.T) {
	s := busy(t)
	s.SetToolServer("nvim")
	s.UseTool(ToolUse{Tool: "edit", Title: "Edit a.go"})
	second := s.UseTool(ToolUse{Tool: "read", Title: "Read b.go"})
	third := s.UseTool(ToolUse{Tool: "read", Title: "Read c.go"})
	s.ShowTool(second)
	s.ShowTool(second)
	text := s.log.Markdown(transcript.Head{})
	edit, read := strings.Index(text, "Edit a.go"), strings.Index(text, "Read b.go")
	if edit < 0 || read < edit || strings.Contains(text, "Read c.go") {
		t.Errorf("the turn shows %q", text)
	}
	s.ShowTool(third)
	if text := s.log.Markdown(transcript.Head{}); strings.Count(text, ".go") != 3 {
		t.Errorf("the turn shows %q", text)
	}
}

// An agent that goes on without a connection to the editor's tools is named, unless it has one again, or is another one by then
// (behaviour 807).
func TestToolsGone(t *testing.T) {
	const told = "let go of the editor's tools"
	for _, tt := range []struct {
		name string
		then func(s *State, c Connection)
		want bool
	}{
		{"gone", func(*State, Connection) {}, true},
		{"again", func(s *State, _ Connection) { s.ToolClients(1) }, false},
		{"the agent has ended", func(s *State, c Connection) { s.Lost(c, nil, false) }, false},
		{"the session is closed", func(s *State, _ Connection) { s.Close() }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := opened(t)
			s.ToolClients(1)
			s.ToolClients(-1)
			tt.then(s, c)
			s.ToolsGone(c)
			if got := strings.Contains(s.log.Markdown(transcript.Head{}), told); got != tt.want {
				t.Errorf("said: %v, want %v", got, tt.want)
			}
		})
	}
}
