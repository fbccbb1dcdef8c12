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

// Said reports whether what is shown of a call has a text, in the old text of a file or else in the new one.
type Said func(text string, old bool) bool

// Inputs returns what the raw input says beside the command and what is shown of the call, by name. Of a command these are what
// is only said of it: all else is shown with it.
func (c *Call) Inputs(said Said) []Input {
	members := slices.Clone(c.Input().Members())
	slices.SortStableFunc(members, func(a, b input.Member) int { return strings.Compare(a.Name, b.Name) })
	unknown := c.Input().Unknown()
	var list []Input
	for _, m := range members {
		is := func(u input.Member) bool { return u.Name == m.Name }
		known := !slices.ContainsFunc(unknown, is)
		switch {
		case m.Empty(), c.Kind == acp.ToolKindEdit && replacesOne(m):
		case c.Command() != "" && (!m.Said() || m.Name == "description"):
		case known && !input.HasPath(m.Name) && isSaid(m, said):
		default:
			list = append(list, Input{plain.OneLine(m.Name), m.Shown(), known})
		}
	}

	return list
}

// replacesOne reports whether a part says that an edit replaces one place, as an edit does that does not say so.
func replacesOne(m input.Member) bool {
	return (m.Name == "replace_all" || m.Name == "replaceAll") && m.Value.Kind() == 'f'
}

// isSaid reports whether all texts of a part of the raw input are shown, however deep, and it has nothing else.
func isSaid(m input.Member, said Said) bool {
	if m.Name == "diff" || m.Name == "patch" {
		return isPatchSaid(m.Shown(), said)
	}
	switch m.Value.Kind() {
	case '"':
		return m.Empty() || said(m.Shown(), strings.HasPrefix(m.Name, "old"))
	case '{', '[':
		return !slices.ContainsFunc(m.Parts(), func(e input.Member) bool { return !isSaid(e, said) })
	}
	return m.Empty()
}

// isPatchSaid reports whether all lines are shown that a patch changes.
func isPatchSaid(patch string, said Said) bool {
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		header := slices.ContainsFunc(headers, func(h string) bool { return strings.HasPrefix(line, h) })
		changed := strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-")
		if line != "" && !header && !(changed && said(line[1:], line[0] == '-')) {
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

// Questions returns the questions of a call to the user as text, each with its choices below it.
func (c *Call) Questions() []string {
	var questions []struct {
		Question string `json:"question"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	}
	c.Input().Decode("questions", &questions)
	var lines []string
	for _, q := range questions {
		lines = append(lines, plain.OneLine(q.Question))
		for _, o := range q.Options {
			line := "  " + plain.OneLine(o.Label)
			if o.Description != "" {
				line += ": " + plain.OneLine(o.Description)
			}
			lines = append(lines, line)
		}
	}

	return lines
}
