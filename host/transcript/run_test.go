package transcript

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// What is kept of the words of a child is bounded: of very long ones the beginning and the end.
func TestLongWordsOfChild(t *testing.T) {
	tr := New(Options{Prefix: "x"})
	tr.runs.ShowRun(Run{ID: RunID("k", 1), Title: "T", Status: string(acp.ToolCallInProgress)})
	say := func(text string) {
		tr.runs.Under(RunID("k", 1), &acp.AgentMessageChunk{Content: acp.Text(text), MessageID: "m"})
	}
	say("the beginning ")
	for range 64 {
		say(strings.Repeat("x", 64<<10))
	}
	say(" the end")
	text := tr.blocks.Markdown(Head{})
	if len(text) > maxSaid+1024 {
		t.Errorf("%d bytes are kept, want no more than %d", len(text), maxSaid)
	}
	for _, part := range []string{"the beginning ", " left out …", " the end"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
}

// A run that is shown again as its agent says less of it, and calls of it that run on after its end.
func TestRunCalls(t *testing.T) {
	tr := New(Options{Prefix: "x"})
	run := Run{ID: RunID("k", 1), Title: "T", Status: string(acp.ToolCallInProgress)}
	tr.runs.ShowRun(run)
	for _, id := range []string{"a", "b"} {
		tr.runs.Under(run.ID, &acp.ToolCall{ToolCallID: ChildCall("k", id), Title: id, Status: acp.ToolCallInProgress})
	}
	tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: "of the session", Status: acp.ToolCallInProgress})
	tr.runs.EndRunCalls(run.ID, false)
	run.Status = string(acp.ToolCallCompleted)
	tr.runs.ShowRun(run)
	tr.runs.Under(run.ID, &acp.ToolCallUpdate{ToolCallID: ChildCall("k", "b"), Status: acp.ToolCallInProgress})

	for id, want := range map[string]string{"a": "in_progress", ChildCall("k", "a"): untold, ChildCall("k", "b"): "in_progress"} {
		if got := tr.calls.Call(id).Status; got != want {
			t.Errorf("call %q is %s, want %s", id, got, want)
		}
	}
	tr.FailCalls()
	if got := tr.calls.Call(ChildCall("k", "b")).Status; got != string(acp.ToolCallFailed) {
		t.Errorf("after the end of its agent the call is %s", got)
	}
}

// What a child says below a run within its own is its own, and so are its calls that fold to a group.
func TestRunAtRows(t *testing.T) {
	tr := New(Options{Prefix: "x", FoldCalls: true})
	outer := Run{ID: RunID("o", 1), Title: "Outer", Status: string(acp.ToolCallInProgress)}
	inner := Run{ID: RunID("i", 1), Below: outer.ID, Title: "Inner", Status: string(acp.ToolCallInProgress)}
	tr.runs.ShowRun(outer)
	tr.runs.ShowRun(inner)
	tr.runs.Under(inner.ID, (*acp.AgentMessageChunk)(chunkOf("inner words")))
	for _, id := range []string{"a", "b"} {
		tr.runs.Under(outer.ID, &acp.ToolCall{ToolCallID: ChildCall("o", id), Title: id, Status: acp.ToolCallCompleted})
	}
	tr.runs.Under(outer.ID, (*acp.AgentMessageChunk)(chunkOf("outer words")))
	tr.runs.ShowRun(Run{ID: inner.ID, Status: string(acp.ToolCallCompleted)})
	tr.runs.Under(outer.ID, (*acp.AgentMessageChunk)(chunkOf(" go on")))
	tr.calls.byID[inner.ID].set, tr.calls.byID[inner.ID].open = true, true
	third := Run{ID: RunID("j", 1), Below: outer.ID, Title: "Third", Status: string(acp.ToolCallInProgress)}
	tr.runs.ShowRun(third)
	tr.runs.Under(outer.ID, (*acp.AgentMessageChunk)(chunkOf("last words")))
	for word, want := range map[string]string{"Inner": inner.ID, "inner words": inner.ID, "outer words": outer.ID, "Used 2 tools": outer.ID, "last words": outer.ID} {
		b, part, got := tr.calls.byID[outer.ID].block, "", "no row"
		for _, r := range tr.drawing.painter.rows(b) {
			if r.head != "" {
				part = r.head
			}
			if strings.Contains(r.text, word) {
				got = tr.blocks.RunAt(b.ID, part)
			}
		}
		if got != want {
			t.Errorf("%q is of %q, want %q", word, got, want)
		}
	}
}

// The words of deep levels keep half of the width, whatever that is, and are drawn anew when it changes (behaviour 604).
func TestDeepRows(t *testing.T) {
	tr := New(Options{Prefix: "x"})
	below := ""
	for n := range 12 {
		id := RunID("k"+string(rune('a'+n)), 1)
		tr.runs.ShowRun(Run{ID: id, Below: below, Title: "T", Status: string(acp.ToolCallInProgress)})
		tr.runs.Under(id, (*acp.AgentMessageChunk)(chunkOf("words")))
		below = id
	}
	tr.drawing.Frame(1 << 20)
	for _, width := range []int{80, 45, 18, 6, 80} {
		tr.drawing.SetWidth(width)
		tr.drawing.Frame(1 << 20)
		most := 0
		for _, r := range tr.blocks.list[0].rows {
			most = max(most, len(r.text)-len(strings.TrimLeft(r.text, " ")))
		}
		want := map[int]int{80: 26, 45: 20, 18: 7, 6: 2}[width]
		if most != want {
			t.Errorf("at %d cells the words are indented by %d, want %d", width, most, want)
		}
	}
}
