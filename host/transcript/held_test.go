package transcript

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// heap is how many megabytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

// drawn draws and records all that there is.
func drawn(t *testing.T, tr *Transcript) {
	t.Helper()
	for tr.drawing.Dirty() {
		tr.drawing.Frame(64 << 10)
	}
	tr.unrecorded.Unsaved(true)
}

// A transcript holds so much of finished calls and texts, whatever an agent sends; of what is older the head and the ends stay, and say so
// (behaviour 986).
func TestHeldIsBounded(t *testing.T) {
	text := strings.Repeat("x y z\n", 1<<20/6)
	call := func(i int) *acp.ToolCall {
		return &acp.ToolCall{ToolCallID: fmt.Sprint(i), Title: fmt.Sprint("call ", i), Kind: acp.ToolKindOther, Status: acp.ToolCallCompleted}
	}
	for _, tt := range []struct {
		name  string
		apply func(tr *Transcript, i int)
	}{
		{"inputs", func(tr *Transcript, i int) {
			c := call(i)
			c.RawInput = acp.Raw(fmt.Sprintf(`{"a": %q}`, fmt.Sprint("first ", i, text)))
			tr.Apply(c)
		}},
		{"texts", func(tr *Transcript, i int) {
			c := call(i)
			c.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text(fmt.Sprint("first ", i, text))}}
			tr.Apply(c)
		}},
		{"diffs", func(tr *Transcript, i int) {
			c, old := call(i), strings.Clone(text)
			c.Content = []acp.ToolCallContent{&acp.Diff{Path: fmt.Sprint("/w/first ", i), OldText: &old, NewText: fmt.Sprint("first ", i, text)}}
			tr.Apply(c)
		}},
		{"words", func(tr *Transcript, i int) {
			tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(fmt.Sprint("\nfirst ", i, text))})
		}},
		{"messages", func(tr *Transcript, i int) {
			tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(fmt.Sprint("first ", i, text)), MessageID: fmt.Sprint(i)})
		}},
		{"thoughts", func(tr *Transcript, i int) {
			tr.Apply(&acp.AgentThoughtChunk{Content: acp.Text(fmt.Sprint("first ", i, text)), MessageID: fmt.Sprint(i)})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTest()
			tr.Prompt("go", nil)
			before := heap()
			const n = 220
			for i := range n {
				tt.apply(tr, i)
				tr.Said()
				if i%16 == 15 {
					drawn(t, tr)
				}
			}
			drawn(t, tr)
			if used := heap() - before; used > 180 {
				t.Errorf("%d MB are held", used)
			}
			var all strings.Builder
			for _, b := range tr.blocks.list {
				for _, it := range b.items {
					all.WriteString(it.whole())
				}
				if len(b.items) == 0 {
					text, _ := tr.blocks.Whole(b.ID, "")
					all.WriteString(text)
				}
			}
			got := all.String()
			named := strings.Contains(got, "not kept in memory")
			if !named || !strings.Contains(got, fmt.Sprint("first ", n-1)) || tt.name != "diffs" && len(got) < 20<<20 {
				t.Errorf("of %d MB that are there, the end is not, or what is not there is not named", len(got)>>20)
			}
			if tt.name != "inputs" && tt.name != "words" && !strings.Contains(got, "first 0") {
				t.Error("nothing of the first one is there")
			}
			tr.drawing.Redraw()
			drawn(t, tr)
		})
	}
}

// What is cut stays in the record as it was (behaviour 986).
func TestCutIsRecordedWhole(t *testing.T) {
	tr := newTest()
	tr.Prompt("go", nil)
	recorded := map[string]int{}
	for i := range 200 {
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(strings.Repeat("word\n", 100_000)), MessageID: fmt.Sprint(i)})
		output := []acp.ToolCallContent{&acp.Content{Content: acp.Text(strings.Repeat("w\n", 50_000))}}
		tr.Apply(&acp.ToolCall{ToolCallID: fmt.Sprint(i), Title: "t", Status: acp.ToolCallCompleted, Content: output})
		for tr.drawing.Dirty() {
			tr.drawing.Frame(64 << 10)
		}
		entries, _ := tr.unrecorded.Unsaved(true)
		for _, e := range entries {
			recorded[e.ID] = len(e.Text)
		}
	}
	for _, b := range tr.blocks.list { // as when they are folded and unfolded, or their width changes
		tr.blocks.touch(b)
		for _, it := range b.items {
			tr.calls.touchItem(it)
		}
	}
	entries, _ := tr.unrecorded.Unsaved(true)
	for _, e := range entries {
		if was, ok := recorded[e.ID]; ok && len(e.Text) < was {
			t.Fatalf("%s is recorded with %d bytes, and had %d", e.ID, len(e.Text), was)
		}
	}
}

// What is not in the record yet waits for that, unless it is very much (behaviour 986).
func TestHeldUntilRecorded(t *testing.T) {
	const cut = "not kept in memory"
	tr := newTest()
	tr.Prompt("go", nil)
	text := strings.Repeat("word\n", 1<<20/5)
	for i := range maxHeld>>20 + 10 {
		id := fmt.Sprint(i)
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(text), MessageID: id})
		output := []acp.ToolCallContent{&acp.Content{Content: acp.Text(text[:leastCut*2])}}
		tr.Apply(&acp.ToolCall{ToolCallID: id, Title: "t", Status: acp.ToolCallCompleted, Content: output})
	}
	for tr.drawing.Dirty() {
		tr.drawing.Frame(64 << 10)
	}
	entries, _ := tr.unrecorded.Unsaved(true)
	for _, e := range entries {
		if strings.Contains(e.Text, cut) {
			t.Fatalf("%s is recorded as %.100q", e.ID, e.Text)
		}
	}
	if first, _ := tr.blocks.Whole(tr.blocks.list[1].ID, ""); !strings.Contains(first, cut) {
		t.Error("the first text is held whole, though it is recorded")
	}
}
