package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// outline is what the main stream says, and what stands below each of its calls.
func outline(t *Transcript) string {
	var lines []string
	var below func(items []*item, depth int)
	below = func(items []*item, depth int) {
		for _, it := range items {
			words := it.call.Heading()
			if it.speech() {
				words = string(it.call.Kind) + " " + strings.Join(it.call.Texts(), "")
			}
			lines = append(lines, strings.Repeat("  ", depth)+words)
			below(it.children, depth+1)
		}
	}
	for _, b := range t.blocks.list {
		if b.Kind == ToolUse {
			below(b.items, 0)
		} else {
			lines = append(lines, string(b.Kind)+" "+b.text.String())
		}
	}
	return strings.Join(lines, "\n")
}

// What two subagents say at the same time stands below their calls, what the agent says meanwhile does not; a text that nobody
// has told of is the agent's.
func TestSubagentsSpeak(t *testing.T) {
	tr := newTest()
	copilot := func(id string) acp.Meta {
		return acp.Meta{"github.com/copilot": acp.Raw(fmt.Sprintf(`{"agentId": %q}`, id))}
	}
	says := func(agent, text string) {
		tr.calls.Speaks(agent, text)
		tr.Apply((*acp.AgentMessageChunk)(chunkOf(text)))
	}
	for _, id := range []string{"one", "two"} {
		tr.Apply(&acp.ToolCall{ToolCallID: id, Title: id, Status: acp.ToolCallInProgress})
		tr.calls.Subagent("agent "+id, id)
	}
	says("agent one", "I am ")
	says("agent two", "I am ")
	says("agent one", "one.")
	says("", "I am ")
	says("agent two", "two.")
	tr.Apply(&acp.ToolCall{ToolCallID: "x", Title: "ls", Status: acp.ToolCallCompleted, Meta: copilot("agent two")})
	tr.calls.Speaks("agent two", "never came")
	tr.calls.Speaks("agent one", "hm")
	tr.Apply((*acp.AgentThoughtChunk)(chunkOf("hm")))
	says("agent two", "Done.")
	tr.Apply((*acp.AgentMessageChunk)(chunkOf("the agent.")))
	tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("Marked."), Meta: acp.Meta{"claudeCode": acp.Raw(`{"parentToolUseId": "one"}`)}})
	want := "one\n  _saying I am one.\n  _thinking hm\n  _saying Marked.\ntwo\n  _saying I am two.\n  ls\n  _saying Done.\nagent I am the agent."
	if got := outline(tr); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := fmt.Sprint(tr.drawing.painter.callStatus(tr.calls.byID["two"])); !strings.Contains(text, "1 call ") {
		t.Errorf("%s, want 1 call: what is said is none", text)
	}
}

// A subagent in the background works on when its call is over: what runs below it is seen until it is over, too.
func TestSubagentInTheBackground(t *testing.T) {
	tr := newTest()
	tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: "a", Status: acp.ToolCallCompleted})
	it := tr.calls.byID["a"]
	tr.calls.Subagent("helper", "a")
	meta := acp.Meta{"github.com/copilot": acp.Raw(`{"agentId": "helper"}`)}
	tr.Apply(&acp.ToolCall{ToolCallID: "b", Title: "b", Status: acp.ToolCallInProgress, Meta: meta})
	if !tr.opts.showsItem(it) {
		t.Error("what runs is not seen")
	}
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "b", Status: acp.ToolCallCompleted})
	if tr.opts.showsItem(it) {
		t.Error("it does not fold when all of it is over")
	}
}

// Texts whose chunks never come are not kept without bound.
func TestPiecesAreBounded(t *testing.T) {
	tr := newTest()
	for i := range 10 * maxPieces {
		tr.calls.Speaks("helper", fmt.Sprint(i))
	}
	if len(tr.calls.pieces) > maxPieces {
		t.Errorf("%d pieces, want at most %d", len(tr.calls.pieces), maxPieces)
	}
}

// A command or a subagent that fails has run; an edit that fails has edited nothing, and nothing has that was rejected (behaviour 1363).
func TestRan(t *testing.T) {
	for kind, want := range map[acp.ToolKind]bool{acp.ToolKindExecute: true, runKind: true, acp.ToolKindEdit: false, acp.ToolKindRead: false} {
		it := &item{call: &Call{Kind: kind}}
		if got := ran(it, string(acp.ToolCallFailed)); got != want {
			t.Errorf("%s that has failed: got %t, want %t", kind, got, want)
		}
		if ran(it, "rejected") || ran(it, cancelled) || !ran(it, "") {
			t.Errorf("%s: what was rejected or cancelled has run, or what is over has not", kind)
		}
	}
}
