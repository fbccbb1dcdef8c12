package transcript

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A diff is shown as the agent sends it: without an old text all of it is new, and a part of a file is a part
// (behaviours 76, 147).
func TestDiffsAsSent(t *testing.T) {
	empty, part := "", "\tif a {\n"
	tests := []struct {
		name string
		old  *string
		want string
	}{
		{"no old text", nil, "+ \tif b {"},
		{"an empty one", &empty, "+ \tif b {"},
		{"a part of a file", &part, "- \tif a {\n+ \tif b {"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			for _, line := range compare(&acp.Diff{Path: "a.go", OldText: test.old, NewText: "\tif b {\n"}, 3, maxViewed).lines {
				if got != "" {
					got += "\n"
				}
				got += line.sign + " " + line.text
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A text that says of an edit no more than its diff is left out; any other is shown (behaviour 523).
func TestEditReports(t *testing.T) {
	old := "a\n"
	diff := &acp.Diff{Path: "a.go", OldText: &old, NewText: "b\n"}
	tests := []struct {
		name, text string
		status     acp.ToolCallStatus
		content    acp.ToolCallContent
		want       bool
	}{
		{"done", "Edit applied successfully.", acp.ToolCallCompleted, diff, true},
		{"without a diff", "Edit applied successfully.", acp.ToolCallCompleted, nil, false},
		{"not done", "Edit applied successfully.", acp.ToolCallFailed, diff, false},
		{"more", "Edit applied successfully.\n\nErrors in a.go:", acp.ToolCallCompleted, diff, false},
		{"other", "The test has failed successfully, twice", acp.ToolCallCompleted, diff, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Call{Status: string(test.status)}
			if test.content != nil {
				c.Content = []acp.ToolCallContent{test.content}
			}
			if got := c.reports(test.text); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
