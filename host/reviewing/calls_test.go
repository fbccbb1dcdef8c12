package reviewing

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// What a file had before the diffs of a call (behaviour 676).
func TestWithout(t *testing.T) {
	old := func(text string) *string { return &text }
	for _, tt := range []struct {
		name  string
		text  string
		diffs []*acp.Diff
		want  review.Content
		ok    bool
	}{
		{"whole", "b\n", []*acp.Diff{{OldText: old("a\n"), NewText: "b\n"}}, review.Parse("a\n"), true},
		{"new", "b\n", []*acp.Diff{{NewText: "b\n"}}, review.Content{Missing: true}, true},
		{"new, of an agent that sends an empty text for none", "b\n", []*acp.Diff{{OldText: old(""), NewText: "b\n"}}, review.Content{Missing: true}, true},
		{"part", "a\nB\nc\n", []*acp.Diff{{OldText: old("b"), NewText: "B"}}, review.Parse("a\nb\nc\n"), true},
		{
			"one after the other", "a\nCC\n",
			[]*acp.Diff{{OldText: old("b"), NewText: "C"}, {OldText: old("C"), NewText: "CC"}}, review.Parse("a\nb\n"), true,
		},
		{"twice", "B\nB\n", []*acp.Diff{{OldText: old("b"), NewText: "B"}}, review.Content{}, false},
		{"elsewhere", "a\n", []*acp.Diff{{OldText: old("b"), NewText: "B"}}, review.Content{}, false},
		{"removed", "a\n", []*acp.Diff{{OldText: old("b"), NewText: ""}}, review.Content{}, false},
		{"added, with no old text", "a\nb\n", []*acp.Diff{{NewText: "b\n"}}, review.Content{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := without(tt.text, tt.diffs)
			if ok != tt.ok || ok && !got.Equal(tt.want) {
				t.Errorf("got %+v %v, want %+v %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
