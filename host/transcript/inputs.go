package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Input is a short text in a raw input.
type Input struct{ Name, Value string }

// Inputs returns the short texts of the raw input by name: paths, URLs, patterns, but no command.
func (c *Call) Inputs() []Input {
	members := slices.Clone(c.Input().Members())
	slices.SortStableFunc(members, func(a, b input.Member) int { return strings.Compare(a.Name, b.Name) })
	var list []Input
	for _, m := range members {
		switch m.Name {
		case "command", "cmd", "args", "content", "old_string", "new_string", "description":
			continue // shown as a command, or as a diff
		case "diff", "patch", "oldString", "newString", "old_str", "new_str", "file_text", "newText", "oldText":
			if len(c.Diffs()) > 0 {
				continue
			}
		}
		text := m.Shown()
		if m.Value.Kind() == '"' && text != "" && len(text) <= 1000 && !(strings.Contains(text, "\n") && c.says(text)) {
			list = append(list, Input{plain.OneLine(m.Name), plain.OneLine(text)})
		}
	}
	return list
}
