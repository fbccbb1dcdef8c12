package transcript

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Heading is the call's title, or what can be said without one; of a command on one line, the command.
func (c *Call) Heading() string {
	if c.Kind == acp.ToolKindExecute && c.command != "" && !strings.Contains(c.command, "\n") {
		return OneLine(c.command)
	}
	title := unquoted(OneLine(c.Title))
	if verb := verbs[c.Kind]; verb != "" && c.isPath(title) {
		return verb + " " + title // some agents name the file only
	}
	if diffs := c.Diffs(); len(diffs) > 0 && bare.MatchString(title) {
		return strings.TrimSpace(cmp.Or(title, verbs[c.Kind]) + " " + OneLine(diffs[0].Path)) // and some do not
	}
	for _, s := range []string{title, OneLine(c.Name), OneLine(string(c.Kind))} {
		if s != "" {
			return s
		}
	}
	return "tool call"
}

// bare is a title that says what is done, and not to which file.
var bare = regexp.MustCompile(`(?i)^(edit|write|create|update|delete|multi_?edit|str_replace|apply_patch|patch)?$`)

// verbs say what is done to a file.
var verbs = map[acp.ToolKind]string{
	acp.ToolKindRead: "Read", acp.ToolKindEdit: "Edit", acp.ToolKindDelete: "Delete", acp.ToolKindMove: "Move",
}

// isPath reports whether a title is nothing but the path of the file that the call is about.
func (c *Call) isPath(title string) bool {
	outside := strings.HasPrefix(title, "../") && filepath.Base(title) == filepath.Base(c.path())
	return strings.HasPrefix(title, "/") || outside || title != "" && strings.HasSuffix(c.path(), "/"+title)
}

// quoted is a title that has one name in it as Markdown has code.
var quoted = regexp.MustCompile("^([^`]*)`([^`]+)`([^`]*)$")

// unquoted leaves out the marks of Markdown that some agents put around a name or a command.
func unquoted(title string) string { return quoted.ReplaceAllString(title, "$1$2$3") }

// unfenced is the inside of a text that is one code block and nothing else, as some agents wrap what a tool printed; every
// other text stays as it is.
func unfenced(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	mark := first[:len(first)-len(strings.TrimLeft(first, "`"))]
	inside, ok := strings.CutSuffix(strings.TrimRight(rest, "\n"), mark)
	inside, whole := strings.CutSuffix(inside, "\n")
	if len(mark) < 3 || !ok || !whole && inside != "" || strings.Contains("\n"+inside, "\n"+mark) {
		return text
	}
	return inside
}
