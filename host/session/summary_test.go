package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
)

// The list of sessions has one that was opened by its id before anything was said in it, as one that waits where a request is pending
// (behaviour 1214).
func TestSummary(t *testing.T) {
	for remote, must := range map[string]bool{"": false, "theirs": false, "wanted": true} {
		s := newState()
		s.link.remote, s.link.mustResume = remote, must
		if _, listed := s.Summary(); listed != must {
			t.Errorf("%q is listed: %v, want %v", remote, listed, must)
		}
	}

	s, _ := opened(t)
	s.Prompt(Prompt{Text: "one"})
	if sum, listed := s.Summary(); !listed || sum.State != string(Busy) {
		t.Errorf("got %+v", sum)
	}
	options := permission.New{Options: []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}}}
	if _, _, ok := s.Request(&acp.ToolCallUpdate{ToolCallID: "c"}, options); !ok {
		t.Fatal("the request is not pending")
	}
	if sum, _ := s.Summary(); sum.State != string(Waiting) {
		t.Errorf("got %+v", sum)
	}
}

// A session is loading while its agent is to replay the conversation (behaviour 1203).
func TestLoading(t *testing.T) {
	s := newState()
	s.Connect(new(agents.Agent))
	before := s.phase()
	s.replay.Load()
	if now := s.phase(); before != Starting || now != Loading {
		t.Errorf("got %s and %s, want %s and %s", before, now, Starting, Loading)
	}
}

// A note for the agent is recorded at once, since the program may end before the next prompt (behaviour 669).
func TestNoteDraws(t *testing.T) {
	s, _ := opened(t)
	s.briefing.Tell("a note")
	if got := s.Take().Draw; got != Soon {
		t.Errorf("got %v, want %v", got, Soon)
	}
	s.briefing.Tell("a note")
	if got := s.Take().Draw; got != NoDraw {
		t.Errorf("there is nothing new, and %v is drawn", got)
	}
}

// That an agent has more commands than are offered is said once.
func TestManyCommands(t *testing.T) {
	s, _ := opened(t)
	var list []acp.AvailableCommand
	for i := range bounds.Commands + 1 {
		list = append(list, acp.AvailableCommand{Name: fmt.Sprint("c", i)})
	}
	for range 2 {
		s.Update(&acp.AvailableCommandsUpdate{AvailableCommands: list})
	}
	text := fmt.Sprintf("%+v", s.Frame(1<<20).Ops)
	if got := strings.Count(text, "are offered"); got != 1 {
		t.Errorf("said %d times in %s", got, text)
	}
}
