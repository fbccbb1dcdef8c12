package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A call whose command runs in a terminal ends with its turn, or with the child that has begun it, if the command is over; else when
// that is, whether or not its agent has a word on it (behaviour 602).
func TestCallsOfTerminals(t *testing.T) {
	tests := []struct {
		name        string
		first, last Command // at the end of the turn, and after it
		stop        bool
		want        string
	}{
		{"over before", Command{}, Command{}, false, "completed"},
		{"failed before", Command{Exit: "exit 3"}, Command{Exit: "exit 3"}, false, "completed"},
		{"over later", Command{Running: true}, Command{}, false, "completed"},
		{"over later, failed", Command{Running: true}, Command{Exit: "exit 3"}, false, "completed"},
		{"killed later", Command{Running: true}, Command{Exit: "SIGTERM"}, false, cancelled},
		{"stopped, over before", Command{}, Command{}, true, "completed"},
		{"stopped, killed", Command{Running: true}, Command{Exit: "SIGKILL"}, true, cancelled},
		{"goes on", Command{Running: true}, Command{Running: true}, false, "in_progress"},
	}
	for _, tt := range tests {
		for _, child := range []bool{false, true} {
			var now Command
			tr := New(Options{Prefix: "x", Terminal: func(string) (Command, bool) { return now, true }})
			tr.Prompt("go", nil)
			call := &acp.ToolCall{ToolCallID: "c", Kind: acp.ToolKindExecute, Status: acp.ToolCallInProgress}
			call.Content = []acp.ToolCallContent{&acp.Terminal{TerminalID: "t"}}
			now = Command{Running: true}
			run := Run{ID: RunID("k", 1), Title: "T", Status: string(acp.ToolCallInProgress)}
			if child {
				tr.runs.ShowRun(run)
				tr.runs.Under(run.ID, call)
			} else {
				tr.Apply(call)
			}

			now = tt.first
			if child {
				tr.runs.EndRunCalls(run.ID, tt.stop)
				run.Status = string(acp.ToolCallCompleted)
				tr.runs.ShowRun(run)
			}
			if tt.stop {
				tr.calls.CancelCalls()
			}
			tr.EndTurn(acp.StopEndTurn, "")
			now = tt.last
			tr.calls.TerminalChanged("t")
			if got := tr.calls.Call("c").Status; got != tt.want {
				t.Errorf("%s, of a child %t: got %s, want %s", tt.name, child, got, tt.want)
			}
			if got, want := tr.calls.Apart() > 0, tt.last.Running; got != want {
				t.Errorf("%s, of a child %t: a call goes on: %t, want %t", tt.name, child, got, want)
			}
		}
	}
}

// After the end of its agent nothing is shown as if it went on, whatever the agent has said of it; what was over stays as it was
// (behaviour 576).
func TestFailOddCalls(t *testing.T) {
	tr := newTest()
	status := map[string]string{}
	show := func(id, status string) {
		tr.runs.ShowRun(Run{ID: RunID(id, 1), Title: id, Status: status})
		tr.runs.Under(RunID(id, 1), &acp.ToolCall{ToolCallID: ChildCall(id, "c"), Title: "c", Status: acp.ToolCallStatus(status)})
		tr.Apply(&acp.ToolCall{ToolCallID: id, Title: id, Status: acp.ToolCallStatus(status)})
	}
	tr.Prompt("one", nil)
	tr.Apply(&acp.ToolCall{ToolCallID: "earlier", Title: "earlier", Status: "skipped"})
	tr.EndTurn(acp.StopEndTurn, "")
	tr.Prompt("two", nil)
	for _, s := range []string{"pending", "in_progress", "state: reviewing", "executing"} {
		show(s, s)
		status[s] = "failed"
	}
	for _, s := range []string{"completed", cancelled, RunStopped, RunUnsure} {
		show(s, s)
		status[s] = s
	}
	status["earlier"] = "skipped"
	tr.FailCalls()
	for id, want := range status {
		for _, call := range []string{id, RunID(id, 1), ChildCall(id, "c")} {
			if c := tr.calls.Call(call); c != nil && c.Status != want {
				t.Errorf("%s, %q: got %s, want %s", id, call, c.Status, want)
			}
		}
	}
}
