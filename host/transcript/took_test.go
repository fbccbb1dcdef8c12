package transcript

import (
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Time that a call waits for the user is not its own, and concurrent calls count once.
func TestTook(t *testing.T) {
	var now time.Time
	start := time.Unix(1000, 0)
	at := func(second int) { now = start.Add(time.Duration(second) * time.Second) }
	tr := New(Options{FoldCalls: true, Now: func() time.Time { return now }})
	status := func(second int, id string, status acp.ToolCallStatus) {
		at(second)
		tr.Apply(&acp.ToolCallUpdate{ToolCallID: id, Status: status})
	}
	status(0, "a", acp.ToolCallInProgress)
	at(2)
	tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: "a"})
	at(50)
	tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: "a"})
	status(55, "b", acp.ToolCallInProgress)
	status(57, "b", acp.ToolCallCompleted)
	at(60)
	tr.calls.PermissionDone("a", false)
	at(90)
	if got := took([]*item{tr.calls.byID["a"]}, now); got != 2*time.Second {
		t.Errorf("while it waits: got %v, want 2s", got)
	}
	at(100)
	tr.calls.PermissionDone("a", false)
	at(101)
	if got := took([]*item{tr.calls.byID["a"]}, now); got != 3*time.Second {
		t.Errorf("while it runs: got %v, want 3s", got)
	}
	status(101, "c", acp.ToolCallInProgress)
	status(104, "c", acp.ToolCallCompleted)
	status(110, "a", acp.ToolCallCompleted)
	group := []*item{tr.calls.byID["a"], tr.calls.byID["b"], tr.calls.byID["c"]}
	if got := took(group, now.Add(time.Hour)); got != 14*time.Second {
		t.Errorf("the group: got %v, want 14s", got)
	}
}

// An allowed call counts as running whatever status its agent reports; a finished one stays finished.
func TestAllowed(t *testing.T) {
	tr := New(Options{})
	for status, want := range map[acp.ToolCallStatus]string{
		acp.ToolCallPending: "running 0:00", acp.ToolCallFailed: "failed", acp.ToolCallCompleted: "completed",
	} {
		id := string(status)
		tr.Apply(&acp.ToolCall{ToolCallID: id, Title: "run it", Status: status})
		tr.calls.Permission("", &acp.ToolCallUpdate{ToolCallID: id})
		tr.calls.PermissionDone(id, false)
		tr.calls.Allowed(id)
		if got := tr.drawing.painter.statusWord(tr.calls.byID[id])[0]; got != want {
			t.Errorf("%s: got %q, want %q", status, got, want)
		}
	}
}
