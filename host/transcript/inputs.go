package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Input is a part of a raw input, as text.
type Input struct {
	Name, Value string
	Known       bool // it is a file, or what known tools look for or write; else it may mean anything
}

// Inputs returns what the raw input says beside the command, the diffs and the texts of the call, by name. Of a command these are what
// is only said of it: all else is shown with it.
func (c *Call) Inputs() []Input {
	members := slices.Clone(c.Input().Members())
	slices.SortStableFunc(members, func(a, b input.Member) int { return strings.Compare(a.Name, b.Name) })
	unknown := c.Input().Unknown()
	var list []Input
	for _, m := range members {
		is := func(u input.Member) bool { return u.Name == m.Name }
		known := !slices.ContainsFunc(unknown, is)
		switch {
		case m.Empty():
		case c.Command() != "" && (!m.Said() || m.Name == "description"):
		case known && c.shows(m):
		default:
			list = append(list, Input{plain.OneLine(m.Name), m.Shown(), known})
		}
	}
	return list
}

// shows reports whether all of a known part of the raw input is in the texts or diffs of the call.
func (c *Call) shows(m input.Member) bool {
	switch {
	case input.HasPath(m.Name):
		return false
	case m.Name == "diff" || m.Name == "patch":
		return c.showsPatch(m.Shown())
	}
	texts, whole := m.Texts()
	return whole && !slices.ContainsFunc(texts, func(text string) bool { return !c.says(text) })
}

// showsPatch reports whether the diffs of the call have all lines of a patch.
func (c *Call) showsPatch(patch string) bool {
	if len(c.Diffs()) == 0 {
		return false
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		header := slices.ContainsFunc(headers, func(h string) bool { return strings.HasPrefix(line, h) })
		if changed := strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-"); line != "" && !header && !(changed && c.says(line[1:])) {
			return false
		}
	}
	return true
}

// headers are what lines of a patch begin with that change nothing.
var headers = []string{" ", "@@", "+++ ", "--- ", "diff ", "index ", "Index: ", "====", "*** ", "\\ "}

// TooMany reports whether a list of the call may have had more entries than are read.
func (c *Call) TooMany() bool {
	return len(c.Content) >= acp.MaxItems || len(c.Locations) >= acp.MaxItems
}
