package transcript

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// twoCalls returns a transcript of two calls, of which the second names no place.
func twoCalls(o Options) (*Transcript, *Block) {
	tr := New(o)
	for _, c := range []*acp.ToolCall{
		{ToolCallID: "a", Title: "first", Kind: acp.ToolKindRead, Status: acp.ToolCallCompleted, Locations: []acp.ToolCallLocation{{Path: "/w/a.go"}}},
		{ToolCallID: "b", Title: "second", Kind: acp.ToolKindOther, Status: acp.ToolCallCompleted},
	} {
		c.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text("said by " + c.Title)}}
		tr.Apply(c)
	}
	tr.EndTurn(acp.StopEndTurn, "")
	tr.drawing.Frame(1 << 20)
	return tr, tr.blocks.list[0]
}

// A row is at the place that it shows, else at that of its call, never at that of the call above (behaviour 1215).
func TestRowPlaces(t *testing.T) {
	tr, b := twoCalls(Options{})
	for i, r := range b.rows {
		at, ok := tr.blocks.Place(b.ID, i)
		first := i < len(b.rows)/2
		if ok != first || first && at.Path != "/w/a.go" {
			t.Errorf("row %d, %q, is at %q, %v", i, r.text, at.Path, ok)
		}
	}
}

// The whole text of a group of calls is that of each, from a line of its own on; that of a call is its own.
func TestWholeGroup(t *testing.T) {
	tr, b := twoCalls(Options{FoldCalls: true})
	if text, _ := tr.blocks.Whole(b.ID, b.items[1].id); strings.Contains(text, "first") || !strings.Contains(text, "said by second") {
		t.Errorf("the second call has %q", text)
	}
	if text, _ := tr.blocks.Whole(b.ID, "g"+b.items[0].id); !strings.Contains(text, "said by first\n") || !strings.Contains(text, "\n\nsecond\n") {
		t.Errorf("the group has %q", text)
	}
}
