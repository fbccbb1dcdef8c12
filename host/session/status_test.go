package session

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// The editor's table of a session has all there is of it at each moment, and nothing else.
func TestStatus(t *testing.T) {
	s := New(Config{
		ID: "s", Agent: Agent{Name: "agent", Title: "Agent", Where: "box"},
		NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
	})
	agent := new(agents.Agent)
	location := []acp.ToolCallLocation{{Path: "/p/a.go"}}
	always := "AgentTitle Where State "
	all := map[string]bool{"EditWaits": true} // which others know
	for _, step := range []struct {
		name string
		does func()
		has  string
	}{
		{"new", func() {}, "Untitled"},
		{"begun after another", func() { s.titles.SetLast(&Last{ID: "l"}); s.Screen().Saw(3) }, "Untitled Last Seen"},
		{"started", func() { s.link.Claim(); s.Connect(agent) }, "Untitled Last Seen"},
		{"opened", func() {
			s.Began(agent, "remote", Opened{
				Modes:  &acp.SessionModeState{CurrentModeID: "yolo", AvailableModes: []acp.SessionMode{{ID: "yolo", Name: "YOLO"}}},
				Models: &acp.SessionModelState{CurrentModelID: "m", AvailableModels: []acp.ModelInfo{{ModelID: "m", Name: "M"}}},
			})
		}, "Untitled Last Seen Remote Mode Model Autonomy Options"},
		{"ready", func() { s.Ready(agent, Capabilities{Steer: true}, []string{"login"}, nil) }, "Untitled Last Seen Remote Mode Model Autonomy Options Can Logins"},
		{"with tools", func() { s.tools.SetServer(Server{Name: "nvim"}) }, "Untitled Last Seen Remote Mode Model Autonomy Options Can Logins Tools"},
		{"prompted", func() {
			s.Prompt(Prompt{ID: "1", Text: "go"})
			s.turns.now.began = time.Now().Add(-time.Second)
		}, "Title Untitled Seen Remote Mode Model Autonomy Options Can Logins Tools Turn Running Elapsed"},
		{"at work", func() {
			s.Update(&acp.Plan{Entries: []acp.PlanEntry{{Content: "a step"}}})
			s.Update(&acp.ToolCall{ToolCallID: "c", Status: acp.ToolCallInProgress, Locations: location})
			s.Update(&acp.SubagentUpdate{SessionID: "k", Title: acp.Some("K"), State: acp.Some(acp.SubagentState{State: acp.SubagentRunning})})
		}, "Title Untitled Seen Remote Mode Model Autonomy Options Can Logins Tools Turn Running Elapsed Plan Place Children"},
		{"told of more", func() {
			s.Update(&acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{{Name: "test"}}})
			s.Update(&acp.UsageUpdate{Used: 1, Size: 10})
			s.spending.limit = &Limit{Share: 0.9}
			s.Update(&acp.SessionInfoUpdate{Title: acp.Some("A title")})
		}, "Title Seen Remote Mode Model Autonomy Options Can Logins Tools Turn Running Elapsed Plan Place Children Commands Usage Limit"},
		{"prompted twice more", func() { s.Prompt(Prompt{ID: "2", Text: "on"}); s.Prompt(Prompt{ID: "3", Text: "and on"}) },
			"Title Seen Remote Mode Model Autonomy Options Can Logins Tools Turn Running Elapsed Plan Place Children Commands Usage Limit Queue QueueIDs Held"},
		{"steered", func() { s.Requeue("steer", 1, "on"); s.Requeue("edit", 1, "and on") },
			"Title Seen Remote Mode Model Autonomy Options Can Logins Tools Turn Running Elapsed Plan Place Children Commands Usage Limit Steered"},
		{"over", func() {
			Steered(s, Prompt{ID: "2", Text: "on"}, nil)
			s.Update(&acp.SubagentUpdate{SessionID: "k", State: acp.Some(acp.SubagentState{State: acp.SubagentIdle, StopReason: acp.StopEndTurn})})
			s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, nil)
			s.offers.suggestion = "commit it"
		}, "Title Seen Remote Mode Model Autonomy Options Can Logins Tools Commands Usage Limit Suggestion Place"},
		{"a call runs on", func() {
			s.Update(&acp.ToolCall{ToolCallID: "d", Kind: acp.ToolKindExecute, Status: acp.ToolCallInProgress})
		}, "Title Seen Remote Mode Model Autonomy Options Can Logins Tools Commands Usage Limit Suggestion Place Apart"},
		{"a login is wanted", func() {
			s.Prompt(Prompt{ID: "4", Text: "again"})
			s.EndTurn(s.turns.now, "", errors.New("log in"), &LoginNeeded{Methods: []string{"login"}}, nil)
		}, "Title Seen Remote Mode Model Autonomy Options Can Logins Tools Commands Usage Limit Place Apart Error Known Queue QueueIDs Held"},
	} {
		step.does()
		s.Take()
		var has []string
		for f, v := range reflect.ValueOf(*s.status()).Fields() {
			some := !v.IsZero()
			if kind := v.Kind(); kind == reflect.Slice || kind == reflect.Map {
				some = v.Len() > 0
			}
			if some {
				has, all[f.Name] = append(has, f.Name), true
			}
		}
		want := strings.Fields(always + step.has)
		slices.Sort(want)
		if slices.Sort(has); !slices.Equal(has, want) {
			t.Errorf("%s: got  %q\nwant %q", step.name, has, want)
		}
	}
	if n := reflect.TypeFor[Status]().NumField(); len(all) != n {
		t.Errorf("%d of %d fields are shown", len(all), n)
	}
}
