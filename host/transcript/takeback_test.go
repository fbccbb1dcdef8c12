package transcript

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

func think(t *Transcript, text string) { t.Apply(&acp.AgentThoughtChunk{Content: acp.Text(text)}) }

// What is taken back leaves a text that was over as it is: what follows is another one. One that grows goes on from where it was.
func TestTakeBack(t *testing.T) {
	for _, over := range []bool{false, true} {
		tr := newTest()
		tr.Prompt("go", nil)
		say(tr, "one")
		if over {
			tr.blocks.endText()
		}
		p := tr.Point()
		tr.drawing.Frame(1 << 20)
		say(tr, " two")
		think(tr, "hmm")
		tr.Apply(&acp.ToolCall{ToolCallID: "c", Title: "Look", Status: acp.ToolCallCompleted})
		tr.TakeBack(p)
		say(tr, " three")

		var texts []string
		for _, b := range tr.blocks.list[1:] {
			texts = append(texts, b.text.String())
		}
		want := map[bool]string{false: "one three", true: "one| three"}[over]
		if got := strings.Join(texts, "|"); got != want {
			t.Errorf("over %v: got %q, want %q", over, got, want)
		}

		var drawn []string // anew, without what is taken back
		for _, op := range tr.drawing.Frame(1 << 20) {
			drawn = append(drawn, op.ID)
		}
		for _, b := range tr.blocks.list {
			if !slices.Contains(drawn, b.ID) {
				t.Errorf("over %v: %s is not drawn again", over, b.ID)
			}
		}
	}
}

// A plan that was taken back is none of an earlier turn: sent again, it is shown.
func TestTakeBackPlan(t *testing.T) {
	tr := newTest()
	tr.Prompt("go", nil)
	p := tr.Point()
	plan := &acp.Plan{Entries: []acp.PlanEntry{{Content: "Look", Status: acp.PlanInProgress}}}
	tr.Apply(plan)
	tr.TakeBack(p)
	if n := len(tr.blocks.list); n != 1 {
		t.Fatalf("got %d blocks, want the prompt", n)
	}
	if tr.Apply(plan); tr.blocks.last().Kind != Plan {
		t.Error("the plan is not shown")
	}
}

// A turn was replayed once its end was: the agent's last words or call, and its last thought only where thoughts are replayed.
func TestWasReplayed(t *testing.T) {
	call := func(id string) func(*Transcript) {
		return func(tr *Transcript) {
			tr.Apply(&acp.ToolCall{ToolCallID: id, Title: "Look at " + id, Kind: acp.ToolKindRead, Status: acp.ToolCallCompleted})
		}
	}
	words := func(text string) func(*Transcript) { return func(tr *Transcript) { say(tr, text) } }
	thought := func(text string) func(*Transcript) { return func(tr *Transcript) { think(tr, text) } }
	type steps []func(*Transcript)
	for _, tt := range []struct {
		name          string
		own, replayed steps
		want          bool
	}{
		{"all", steps{words("One."), call("c"), words("Two.")}, steps{words("One."), call("c"), words("Two.")}, true},
		{"not the last words", steps{words("One."), call("c"), words("Two.")}, steps{words("One."), call("c")}, false},
		{"not all of them", steps{words("One and two.")}, steps{words("One and")}, false},
		{"not the last call", steps{words("One."), call("c")}, steps{words("One.")}, false},
		{"the last call", steps{words("One."), call("c")}, steps{words("One."), call("c")}, true},
		{"no thoughts are", steps{words("One."), thought("Hmm.")}, steps{words("One.")}, true},
		{"not the last thought", steps{thought("Hm."), words("One."), thought("Well.")}, steps{thought("Hm."), words("One.")}, false},
		{"the last thought", steps{words("One."), thought("Hmm.")}, steps{words("One."), thought("Hmm.")}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr, replay := newTest(), newTest()
			tr.Prompt("go", nil)
			for _, step := range tt.own {
				step(tr)
			}
			tr.EndTurn(acp.StopEndTurn, "")
			replay.BeginLoad()
			replay.Apply(&acp.UserMessageChunk{Content: acp.Text("go")})
			for _, step := range tt.replayed {
				step(replay)
			}
			if got := tr.WasReplayed(replay); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
