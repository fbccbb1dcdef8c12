package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The line at the end of a turn names the files that have changed once that is known, in its place; of a turn of which nothing is to be
// said there is none (behaviours 1316, 1420).
func TestSums(t *testing.T) {
	announce := func(tr *Transcript) {
		old := "x\n"
		tr.Apply(&acp.ToolCall{
			ToolCallID: "a", Title: "Edit", Kind: acp.ToolKindEdit, Status: acp.ToolCallCompleted,
			Content: []acp.ToolCallContent{&acp.Diff{Path: "/p/a", OldText: &old, NewText: "y\n"}},
		})
	}
	one := []FileChange{{Path: "/p/b", Added: 3, Removed: 1, Counted: true}}
	for _, test := range []struct {
		name          string
		play          func(tr *Transcript)
		spent         string
		next          bool // another prompt comes first
		changed       []FileChange
		before, after string
	}{
		{"announced", announce, "", false, one, "none", "1 file +3 −1"},
		{"announced, and the next prompt comes", announce, "", true, one, "none", "1 file +3 −1"},
		{"announced, and not so", announce, "", false, nil, "none", "none"},
		{"announced with tokens, and not so", announce, "5 tokens", false, nil, "5 tokens", "5 tokens"},
		{"with tokens", announce, "5 tokens", true, one, "5 tokens", "1 file +3 −1 · 5 tokens"},
		{"by commands", func(*Transcript) {}, "", false, one, "none", "1 file +3 −1"},
		{"by commands, and the next prompt comes", func(*Transcript) {}, "", true, one, "none", "1 file +3 −1"},
		{"by commands, with tokens", func(*Transcript) {}, "5 tokens", false, one, "5 tokens", "1 file +3 −1 · 5 tokens"},
		{"not counted", announce, "", false, append([]FileChange{{Path: "/p/c", Added: 9}}, one...), "none", "2 files"},
		{"a file in two steps", announce, "", false, append(one, one...), "none", "1 file +6 −2"},
	} {
		tr := New(Options{})
		key := tr.Prompt("go", nil)
		test.play(tr)
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("Done.")})
		tr.EndTurn(acp.StopEndTurn, test.spent)
		if test.next {
			tr.Prompt("more", nil)
		}
		if got := endOf(tr); got != test.before {
			t.Errorf("%s: before that is known it says %q, want %q", test.name, got, test.before)
		}
		tr.Changed(key, test.changed)
		if got := endOf(tr); got != test.after {
			t.Errorf("%s: got %q, want %q", test.name, got, test.after)
		}
		tr.Changed(key, one)
		if got := endOf(tr); got != test.after {
			t.Errorf("%s: it is said twice: %q", test.name, got)
		}
		if last := tr.blocks.last(); test.next && last.Kind != User {
			t.Errorf("%s: it is below the next prompt", test.name)
		}
	}
}

// endOf is the line at the end of a turn.
func endOf(tr *Transcript) string {
	for _, b := range tr.blocks.list {
		if b.Kind == TurnEnd {
			return b.text.String()
		}
	}
	return "none"
}
