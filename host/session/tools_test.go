package session

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// A use of a tool that the agent says nothing of is shown as its turn ends, once and with what it has changed, not under the next
// prompt; one that the agent speaks of later in the turn is shown by its own words (behaviours 315, 463).
func TestToolUses(t *testing.T) {
	old := "x\n"
	diff := []*acp.Diff{{Path: "/p/a.go", OldText: &old, NewText: "y\n"}}
	s := busy(t)
	s.tools.SetServer(Server{Name: "nvim"})
	silent := s.tools.Use(ToolUse{Tool: "edit", Title: "Edit a.go", Args: []string{"a.go"}})
	late := s.tools.Use(ToolUse{Tool: "read", Title: "Read b.go", Args: []string{"b.go"}})
	if silent == nil || late == nil {
		t.Fatal("the agent has said nothing, and it is shown")
	}
	s.tools.Made(ToolUse{Tool: "edit", Title: "Edit a.go", Args: []string{"a.go"}}, diff)
	s.Update(&acp.ToolCall{ToolCallID: "r", Title: "nvim_read", RawInput: acp.Raw(`{"path": "b.go"}`), Status: acp.ToolCallCompleted})
	s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, nil)

	s.Prompt(Prompt{Text: "the next prompt"})
	s.tools.Show(silent) // as its time is over
	s.tools.Show(late)
	text := s.screen.log.Blocks().Markdown(transcript.Head{})
	turn, next, _ := strings.Cut(text, "the next prompt")
	if strings.Count(turn, "Edit a.go") != 1 || !strings.Contains(turn, "+y") || strings.Count(turn, "Read b.go") != 1 {
		t.Errorf("the turn shows %q", turn)
	}
	if strings.Contains(next, ".go") {
		t.Errorf("the next turn shows %q", next)
	}
	if files := s.screen.log.Calls().EditedPaths(); len(files) != 0 {
		t.Errorf("the next turn has edited %q", files)
	}
}

// Calls that are shown for the agent are calls of their own.
func TestNewCalls(t *testing.T) {
	s := busy(t)
	s.tools.SetServer(Server{Name: "nvim"})
	if one, other := s.tools.New(), s.tools.New(); one == other {
		t.Errorf("both are %s", one)
	}
}

// Uses of tools are shown in their order, whichever is over first (behaviour 315).
func TestToolOrder(t *testing.T) {
	s := busy(t)
	s.tools.SetServer(Server{Name: "nvim"})
	s.tools.Use(ToolUse{Tool: "edit", Title: "Edit a.go"})
	second := s.tools.Use(ToolUse{Tool: "read", Title: "Read b.go"})
	third := s.tools.Use(ToolUse{Tool: "read", Title: "Read c.go"})
	s.tools.Show(second)
	s.tools.Show(second)
	text := s.screen.log.Blocks().Markdown(transcript.Head{})
	edit, read := strings.Index(text, "Edit a.go"), strings.Index(text, "Read b.go")
	if edit < 0 || read < edit || strings.Contains(text, "Read c.go") {
		t.Errorf("the turn shows %q", text)
	}
	s.tools.Show(third)
	if text := s.screen.log.Blocks().Markdown(transcript.Head{}); strings.Count(text, ".go") != 3 {
		t.Errorf("the turn shows %q", text)
	}
}

// An agent that goes on without a connection to the editor's tools is named, unless it has one again, comes over HTTP and goes after each
// call, or is another one by then (behaviour 807).
func TestToolsGone(t *testing.T) {
	const told = "closed the editor's tools"
	for _, tt := range []struct {
		name string
		then func(s *State, c Connection)
		want bool
	}{
		{"gone", func(*State, Connection) {}, true},
		{"again", func(s *State, _ Connection) { s.tools.Clients(1) }, false},
		{"over HTTP", func(s *State, _ Connection) { s.tools.SetServer(Server{Name: "nvim", HTTP: true}) }, false},
		{"the agent has ended", func(s *State, c Connection) { s.Lost(c, nil, false) }, false},
		{"the session is closed", func(s *State, _ Connection) { s.Close() }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := opened(t)
			s.tools.Clients(1)
			s.tools.Clients(-1)
			tt.then(s, c)
			s.tools.Gone(c)
			if got := strings.Contains(s.screen.log.Blocks().Markdown(transcript.Head{}), told); got != tt.want {
				t.Errorf("said: %v, want %v", got, tt.want)
			}
		})
	}
}

// An agent that has connected to the editor's tools once is not said to have never done so; one that was given them anew is (behaviour 864).
func TestToolsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(s *State)
		want int
	}{
		{"never", func(*State) {}, 1},
		{"now", func(s *State) { s.tools.Clients(1) }, 0},
		{"before", func(s *State) { s.tools.Clients(1); s.tools.Clients(-1) }, 0},
		{"not since it was given them anew", func(s *State) {
			s.tools.Clients(1)
			s.tools.Clients(-1)
			s.tools.SetServer(Server{Name: "nvim", HTTP: true})
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := opened(t)
			s.tools.SetServer(Server{Name: "nvim", HTTP: true})
			tt.then(s)
			s.tools.Refused("it has not connected")
			s.tools.Refused("it has not connected")
			text := s.screen.log.Blocks().Markdown(transcript.Head{})
			if got := strings.Count(text, "it has not connected"); got != tt.want {
				t.Errorf("said %d times, want %d", got, tt.want)
			}
		})
	}
}

// A session that has let go of its agent has no tools, although connections have not ended yet, and says whose are to end (behaviour 1201).
func TestToolsLeft(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(s *State, c Connection)
	}{
		{"idle", func(s *State, c Connection) { s.Detach(c, time.Now().Add(time.Hour)) }},
		{"it has ended", func(s *State, c Connection) { s.Lost(c, nil, false) }},
		{"started again for a login", func(s *State, c Connection) {
			s.link.needLogin(true)
			s.Lost(c, nil, true)
		}},
		{"failed", func(s *State, c Connection) { s.Failed(c, errors.New("x"), "", nil) }},
		{"closed", func(s *State, _ Connection) { s.Close() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := opened(t)
			s.tools.SetServer(Server{Name: "nvim"})
			s.tools.Clients(1)
			if got := s.tools.state(); got != "connected" {
				t.Errorf("before: %q", got)
			}
			if e := s.Take(); e.Left != nil {
				t.Error("before: its agent is let go of")
			}
			tt.then(s, c)
			if got := s.tools.state(); got != "" {
				t.Errorf("the tools are %q", got)
			}
			if e := s.Take(); e.Left != c {
				t.Errorf("let go of: %v", e.Left)
			}
			if e := s.Take(); e.Left != nil {
				t.Error("it is let go of twice")
			}
		})
	}
}
