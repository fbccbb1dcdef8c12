package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Input is a short text in a raw input.
type Input struct{ Name, Value string }

// Inputs returns the short texts of the raw input by name: paths, URLs, patterns, but no command.
func (c *Call) Inputs() []Input {
	var members map[string]json.RawMessage
	if json.Unmarshal(c.RawInput, &members) != nil {
		return nil
	}
	var list []Input
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		switch name {
		case "command", "cmd", "args", "content", "old_string", "new_string", "description":
			continue // shown as a command, or as a diff
		case "diff", "patch", "oldString", "newString", "old_str", "new_str", "file_text", "newText", "oldText":
			if len(c.Diffs()) > 0 {
				continue
			}
		}
		if json.Unmarshal(members[name], &text) == nil && text != "" && len(text) <= 1000 && !(strings.Contains(text, "\n") && c.says(text)) {
			list = append(list, Input{plain.OneLine(name), plain.OneLine(text)})
		}
	}
	return list
}
