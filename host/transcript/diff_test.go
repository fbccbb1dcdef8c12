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
			for _, line := range diffLines(&acp.Diff{Path: "a.go", OldText: test.old, NewText: "\tif b {\n"}, 3) {
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
