package session

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// An agent's list of options takes the place of the mode and the model that it has by methods of their own where it has these, and of
// nothing else; an option has one of its choices, and without any what was chosen (behaviour 1406).
func TestReplaceOptions(t *testing.T) {
	s := New(Config{NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) }})
	o := &s.options
	o.init(
		&acp.SessionModeState{CurrentModeID: "ask", AvailableModes: []acp.SessionMode{{ID: "ask", Name: "Ask"}}},
		&acp.SessionModelState{CurrentModelID: "m", AvailableModels: []acp.ModelInfo{{ModelID: "m", Name: "M"}}}, nil,
	)
	has := func(want ...string) {
		t.Helper()
		var got []string
		for _, opt := range o.list {
			got = append(got, opt.ID)
		}
		if len(got) != len(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
	has("mode", "model")
	o.Replace([]acp.SessionConfigOption{{Type: acp.ConfigSelect, ID: "style", Category: "style", CurrentValue: "short"}})
	has("style", "mode", "model")
	o.Replace([]acp.SessionConfigOption{{Type: acp.ConfigSelect, ID: "own", Category: acp.CategoryMode, CurrentValue: "ask"}})
	has("own", "model")

	free := acp.SessionConfigOption{Type: acp.ConfigSelect, ID: "free", CurrentValue: "one"}
	bound := free
	bound.Options = []acp.SessionConfigSelectOption{{Value: "one"}, {Value: "two"}}
	for _, test := range []struct {
		name  string
		opt   acp.SessionConfigOption
		value any
		want  bool
	}{
		{"without choices", free, "any", true},
		{"one of the choices", bound, "two", true},
		{"none of the choices", bound, "any", false},
		{"of another type", free, true, false},
	} {
		if got := assign(&test.opt, test.value); got != test.want || got == (test.opt.CurrentValue == "one") {
			t.Errorf("%s: got %v, it has %q", test.name, got, test.opt.CurrentValue)
		}
	}
}

// Nothing is shown of a session that is closed: it may be open again, and what was left would be drawn there (behaviour 1663).
func TestClosedIsNotDrawn(t *testing.T) {
	s, _ := opened(t)
	s.Update(&acp.AgentMessageChunk{Content: acp.Text("words")})
	s.Close()
	s.screen.note("late", "AcpDone")
	if f := s.Frame(1 << 20); !f.Empty() || f.More {
		t.Errorf("there is to be shown %+v", f)
	}
}
