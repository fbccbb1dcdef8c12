package session

import (
	"errors"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// What was seen decides whether an agent reads the disk, and its preset before that (behaviour 301).
func TestReadsDisk(t *testing.T) {
	const path = "/p/a.go"
	call := func(s *State, kind acp.ToolKind, status acp.ToolCallStatus) {
		s.Update(&acp.ToolCallUpdate{ToolCallID: "c", Kind: kind, Status: status})
	}
	served := func(s *State) {
		call(s, acp.ToolKindRead, acp.ToolCallInProgress)
		s.reads.Here(path, s.Turn())
		call(s, acp.ToolKindRead, acp.ToolCallCompleted)
		s.reads.InTurn(s.turns.now, path)
	}
	toEdit := func(s *State) { // as one that reads the disk does before it edits through the editor
		call(s, acp.ToolKindEdit, acp.ToolCallInProgress)
		s.reads.Here(path, s.Turn())
		call(s, acp.ToolKindEdit, acp.ToolCallCompleted)
		s.reads.InTurn(s.turns.now, path)
	}
	past := func(s *State) {
		call(s, acp.ToolKindRead, acp.ToolCallCompleted)
		s.reads.InTurn(s.turns.now, path)
		s.reads.Saved("c")
	}
	tests := []struct {
		name   string
		preset string
		steps  []func(*State)
		want   bool
	}{
		{"nothing is known", "", nil, true},
		{"the preset says disk", "disk", nil, true},
		{"the preset says editor", "editor", nil, false},
		{"seen at the editor", "", []func(*State){served}, false},
		{"seen at the editor against its preset", "disk", []func(*State){served}, false},
		{"seen at the editor to edit", "", []func(*State){toEdit}, false},
		{"the same, and the preset says disk", "disk", []func(*State){toEdit}, true},
		{"seen past the editor", "editor", []func(*State){past}, true},
		{"seen at both", "", []func(*State){served, past}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := busy(t)
			for _, step := range test.steps {
				step(s)
			}
			if got := s.reads.FromDisk(test.preset); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
			if got, want := s.reads.Has(path), len(test.steps) > 0; got != want {
				t.Errorf("it was read: got %t, want %t", got, want)
			}
		})
	}
}

// An agent that may not have got a message on unsaved text gets it again; a new session knows nothing (behaviour 302).
func TestToldUnsaved(t *testing.T) {
	message := unsaved.Message{Told: unsaved.Told{"/p/a.go": {Hash: "1"}}, Text: "told", Summary: "told"}
	tests := []struct {
		name string
		then func(*State)
		want int
	}{
		{"the turn ends", func(s *State) { s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, nil) }, 1},
		{"the turn is stopped", func(s *State) { s.Cancel() }, 1},
		{"the turn fails", func(s *State) { s.EndTurn(s.turns.now, "", errors.New("no"), nil, nil) }, 0},
		{"the agent is lost", func(s *State) { s.Lost(s.link.Agent(), errors.New("gone"), false) }, 0},
		{"a new session begins", func(s *State) { s.Began(s.link.Agent(), "other", Opened{}) }, 0},
		{"a prompt says nothing of it", func(s *State) { s.briefing.ToldUnsaved(unsaved.Message{}) }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := busy(t)
			s.Send(s.turns.now, Skills{}, message)
			test.then(s)
			if got := len(s.briefing.Unsaved()); got != test.want {
				t.Errorf("it knows of %d files, want %d", got, test.want)
			}
		})
	}
}

// A command of the agent's takes no further text.
func TestIsCommand(t *testing.T) {
	s := busy(t)
	s.Update(&acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{{Name: "compact"}}})
	for text, want := range map[string]bool{"/compact": true, " /compact it": true, "/other": false, "compact": false, "": false, "/": false} {
		if got := s.IsCommand(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}

// busy returns a session whose turn has begun.
func busy(t *testing.T) *State {
	t.Helper()
	s, _ := opened(t)
	s.Prompt(Prompt{Text: "go"})
	if s.turns.now == nil {
		t.Fatal("no turn has begun")
	}
	return s
}
