package session

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Of the servers that an agent does not have each is said once, when it is known: with the start, at the end of a turn, or when the agent is
// started anew; its stderr is searched from where that was left.
func TestUnservedIsSaidOnce(t *testing.T) {
	s, agent := opened(t)
	said := func(want ...int) {
		t.Helper()
		text := shown(s.Log())
		for i, name := range []string{"one", "two", "three", "four"} {
			if got := strings.Count(text, "noserver"+name+"."); got != want[i] {
				t.Errorf("%s is said %d times, want %d", name, got, want[i])
			}
		}
	}
	ready := func(unserved ...string) { s.Ready(agent, Capabilities{}, nil, unserved) }

	s.Servers().Set([]string{"a", "b"}, []string{"no server one."})
	s.Servers().Searched(7)
	said(0, 0, 0, 0)
	ready("no server two.")
	said(1, 1, 0, 0)
	s.Prompt(Prompt{Text: "go"})
	s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, []string{"no server two.", "no server three."})
	said(1, 1, 1, 0)
	if names, searched := s.Servers().Given(); strings.Join(names, " ") != "a b" || searched != 7 {
		t.Errorf("given %q, searched up to %d", names, searched)
	}

	s.Servers().Set([]string{"a"}, []string{"no server one.", "no server four."})
	ready()
	said(1, 1, 1, 1)
	s.Servers().Set(nil, nil)
	ready("no server one.", "no server one.")
	said(1, 1, 1, 1)
	if names, _ := s.Servers().Given(); len(names) != 0 {
		t.Errorf("given %q", names)
	}
}
