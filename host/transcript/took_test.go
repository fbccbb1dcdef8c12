package transcript

import (
	"cmp"
	"strings"
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

// Of a call that is replayed no time is said: it is not known (behaviour 1345).
func TestTookReplayed(t *testing.T) {
	now := time.Unix(1000, 0)
	tr := New(Options{Now: func() time.Time { return now }})
	tr.BeginLoad()
	tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: "ls", Kind: acp.ToolKindExecute, Status: acp.ToolCallInProgress})
	now = now.Add(9 * time.Second)
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "a", Status: acp.ToolCallCompleted})
	if got := took([]*item{tr.calls.byID["a"]}, now); got != 0 {
		t.Errorf("got %v", got)
	}
}

// A compaction that is told of again is the same one, and another one once it has ended.
func TestCompactions(t *testing.T) {
	tr := New(Options{})
	for i, step := range []struct {
		status acp.CompactionStatus
		want   int
	}{{acp.CompactionInProgress, 1}, {acp.CompactionInProgress, 1}, {acp.CompactionCompleted, 1}, {acp.CompactionInProgress, 2}} {
		tr.Apply(&acp.CompactionUpdate{CompactionID: "c", Status: step.status})
		if got := len(tr.blocks.list); got != step.want {
			t.Errorf("after step %d: %d notices, want %d", i, got, step.want)
		}
	}
}

// New blocks in different places are different operations.
func TestPlacesOfBlocks(t *testing.T) {
	data := &Data{}
	ops := Ops{{ID: "a", new: true, Data: data}, {ID: "b", new: true, Data: data}, {ID: "c", Before: "a", new: true, Data: data}}
	if got := len(ops.runs()); got != 2 {
		t.Errorf("got %d runs, want 2", got)
	}
}

// What an agent is told of changes has their colours.
func TestTold(t *testing.T) {
	tr := New(Options{})
	tr.Told("1 unsaved file", "--- a\n+++ a\n-old\n same\n+new")
	b := tr.blocks.list[0]
	b.open, b.set = true, true
	rows := tr.drawing.painter.messageRows(b)
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, r := range rows {
		want := cmp.Or(map[int]string{3: diffGroup("-"), 5: diffGroup("+")}[i], "AcpOutput")
		marked := ""
		for _, m := range r.spans {
			marked = m.Group
		}
		if i > 0 && marked != want {
			t.Errorf("row %d %q: %q, want %q", i, r.text, marked, want)
		}
	}
}

// A line of which only the first part is kept says so.
func TestVeryLongLine(t *testing.T) {
	if got := broken(strings.Repeat("x", 2*keptPart)); len(got) < 2 || got[len(got)-1] != "…" {
		t.Errorf("%d lines, the last %.20q", len(got), got[len(got)-1])
	}
	if got := broken(strings.Repeat("x", longLine)); len(got) != 1 {
		t.Errorf("%d lines", len(got))
	}
}
