package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
)

// told is what updates say of a call. Permission requests with its id may be about others.
type told struct {
	input   acp.Raw
	content []acp.ToolCallContent
}

// Completed returns what a permission request says of a call, with what updates have said of it and the request leaves out: members of
// its input, diffs, words, all words of a plan. To a request whose input is about something else nothing is added.
func (c *Call) Completed(own *acp.ToolCallUpdate) *acp.ToolCallUpdate {
	out := *own
	out.RawInput = input.Complete(own.RawInput, c.told.input)
	if own.Content.Set && !input.Differ(own.RawInput, c.told.input) {
		out.Content = acp.Some(slices.Concat(c.lacked(&out), own.Content.Value))
	}
	return &out
}

// lacked returns the content that updates have brought and that a request lacks.
func (c *Call) lacked(own *acp.ToolCallUpdate) (list []acp.ToolCallContent) {
	asks := Call{Kind: c.Kind}
	asks.Patch(own)
	diffs, texts := asks.Diffs(), asks.Texts()
	for _, content := range c.told.content {
		switch content := content.(type) {
		case *acp.Diff:
			if len(diffs) == 0 {
				list = append(list, content)
			}
		case *acp.Content:
			text := contentText(content.Content)
			has := func(other string) bool { return strings.Contains(other, text) }
			plan := asks.Kind == acp.ToolKindSwitchMode && !slices.ContainsFunc(texts, has)
			if len(texts) == 0 || plan {
				list = append(list, content)
			}
		}
	}
	return list
}
