package session

import (
	"errors"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/edit"
)

// asked returns a session in whose running turn an agent is asked to change lines.
func asked() (*State, *Turn) {
	s := newState()
	agent := new(agents.Agent)
	s.link.Claim()
	s.Connect(agent)
	s.Began(agent, "remote", Opened{})
	s.Ready(agent, Capabilities{}, nil, nil)
	s.Prompt(Prompt{Text: "shout", Edit: &edit.Request{Kind: edit.Edit, Lines: []string{"a"}}})
	return s, s.Take().Begin
}

// An agent may say something and use a tool before its answer: the block begins a line all the same (behaviour 415).
func TestPlaceAfterCall(t *testing.T) {
	s, turn := asked()
	s.Update(&acp.AgentMessageChunk{Content: acp.Text("Let me look:")})
	s.Update(&acp.ToolCall{ToolCallID: "c", Title: "read"})
	s.Update(&acp.AgentMessageChunk{Content: acp.Text("```\nA\n```")})
	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	if got := s.place.Lines(); got.Phase != edit.Ready || got.Version.Lines[0] != "A" {
		t.Errorf("got %s %q", got.Phase, got.Version.Lines)
	}
}

// What is asked at lines is sent after a login that the agent offers. Else it ends, with how to log in (behaviours 408, 1529).
func TestPlaceLogin(t *testing.T) {
	s, turn := asked()
	s.EndTurn(turn, "", errors.New("log in"), &LoginNeeded{Methods: []string{"m"}}, nil)
	if got := s.place.Lines(); got.Phase != edit.Working || len(s.queue.list) != 1 || s.Check() != nil {
		t.Errorf("got %s, %d prompts wait, %v", got.Phase, len(s.queue.list), s.Check())
	}

	s = newState()
	s.link.Claim()
	agent := new(agents.Agent)
	s.Connect(agent)
	s.Failed(agent, errors.New("log in"), "", &LoginNeeded{Methods: []string{"m"}})
	if s.Prompt(Prompt{Text: "shout", Edit: &edit.Request{Kind: edit.Edit}}) || len(s.queue.list) != 1 {
		t.Error("what the session was begun for asks the agent again without a login")
	}
	if !s.Prompt(Prompt{Text: "again", Edit: &edit.Request{Kind: edit.Edit, Again: true}}) {
		t.Error("what is asked later does not, though the user may have logged in elsewhere")
	}

	s, turn = asked()
	s.EndTurn(turn, "", errors.New("log in"), &LoginNeeded{How: "by its own program"}, nil)
	if got := s.place.Lines(); got.Phase != edit.Failed || got.Fault != "log in: by its own program" || len(s.queue.list) > 0 {
		t.Errorf("got %s %q, %d prompts wait", got.Phase, got.Fault, len(s.queue.list))
	}
}
