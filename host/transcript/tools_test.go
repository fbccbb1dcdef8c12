package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A use of a tool is the agent's own call of it, by the words of several agents, and one call stands for one use (behaviour 315).
func TestClaimTool(t *testing.T) {
	tests := []struct {
		title string
		tool  string
		want  bool
	}{
		{"mcp__nvim__read", "read", true},
		{"nvim_read", "read", true},
		{"read (nvim MCP Server)", "read", true},
		{"Read notes.txt", "read", false},
		{"mcp__nvim__read", "rename", false},
		{"mcp__other__read", "read", false},
		{"unread in nvim", "read", false},
	}
	for _, test := range tests {
		tr := New(Options{})
		tr.Prompt("go", nil)
		tr.Apply(&acp.ToolCall{ToolCallID: "a", Title: test.title})
		if got := tr.ClaimTool("nvim", test.tool); got != test.want {
			t.Errorf("%q, %s: got %t, want %t", test.title, test.tool, got, test.want)
		}
		if tr.ClaimTool("nvim", test.tool) {
			t.Errorf("%q is claimed twice", test.title)
		}
		tr.EndTurn(acp.StopEndTurn, "")
		tr.Apply(&acp.ToolCall{ToolCallID: "b", Title: test.title})
		tr.Prompt("again", nil)
		if tr.ClaimTool("nvim", test.tool) {
			t.Errorf("%q of an earlier turn is claimed", test.title)
		}
	}
}
