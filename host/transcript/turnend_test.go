package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The line at the end of a turn counts what its checkpoints tell, if that has files that no call has named (behaviour 600).
func TestChanged(t *testing.T) {
	named, both := map[string]Lines{"a.go": {2, 1}}, map[string]Lines{"a.go": {2, 1}, "b.go": {3, 0}}
	program := map[string]Lines{"b.go": {3, 0}}
	for _, test := range []struct {
		name  string
		call  bool // that has changed a.go
		after bool // a notice comes before the checkpoint
		other bool // the checkpoint is of another turn
		files map[string]Lines
		want  string // of the last line at the end of a turn
	}{
		{"what the calls have named", true, false, false, named, "1 file +1"},
		{"a program's too", true, false, false, both, "2 files +5 −1"},
		{"a program's too, below a notice", true, true, false, both, "2 files +5 −1"},
		{"a program's, and one that no checkpoint has", true, false, false, program, "2 files +4"},
		{"only a program's", false, false, false, program, "1 file +3"},
		{"only a program's, below a notice", false, true, false, program, ""},
		{"another turn's", true, false, true, both, "1 file +1"},
		{"nothing", true, false, false, nil, "1 file +1"},
	} {
		tr := New(Options{Cwd: "/p", Icons: Icons{Minus: "−"}})
		key := tr.Prompt("go", nil)
		if test.call {
			old := "x\n"
			tr.Apply(&acp.ToolCall{ToolCallID: "a", Kind: acp.ToolKindEdit, Status: acp.ToolCallCompleted,
				Content: []acp.ToolCallContent{&acp.Diff{Path: "/p/a.go", OldText: &old, NewText: "x\ny\n"}}})
		}
		tr.Apply(&acp.AgentMessageChunk{Content: &acp.TextContent{Text: "done"}})
		tr.EndTurn(acp.StopEndTurn, "")
		if test.after {
			tr.Say("later", "")
		}
		if test.other {
			key += "x"
		}
		blocks := len(tr.blocks)
		tr.Changed(key, test.files)
		got := ""
		for _, b := range tr.blocks {
			if b.Kind == TurnEnd {
				got = b.text.String()
			}
		}
		if got != test.want {
			t.Errorf("%s: the line is %q, want %q", test.name, got, test.want)
		}
		if test.after && len(tr.blocks) != blocks {
			t.Errorf("%s: a block was added", test.name)
		}
	}
}
