package transcript

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Heading returns the call's title, or a substitute; for a command on one line, the command.
// A call of a tool of the editor's has the title of that use.
func (c *Call) Heading() string {
	if c.label != "" {
		return c.label
	}
	if c.isCommand() {
		if script := c.script(); !strings.Contains(script, "\n") {
			return plain.OneLine(script)
		}
	}

	title := unquoted(plain.OneLine(plain.Cut(c.Title, maxHeading)))
	if verb := verbs[c.Kind]; verb != "" && c.isPath(title) {
		return verb + " " + title // some agents name the file only
	}
	if diffs := c.Diffs(); len(diffs) > 0 && bare().MatchString(title) {
		return strings.TrimSpace(cmp.Or(title, verbs[c.Kind]) + " " + plain.OneLine(diffs[0].Path)) // and some do not
	}
	for _, s := range []string{title, plain.Brief(c.Name), plain.Brief(string(c.Kind))} {
		if s != "" {
			return s
		}
	}

	return "tool call"
}

// maxHeading is how many bytes of a title are looked at.
const maxHeading = 8 << 10

// bare matches a title that names an action without a file.
var bare = lazy.Regexp(`(?i)^(edit|write|create|update|delete|multi_?edit|str_replace|apply_patch|patch)?$`)

// verbs has the action for a file, by kind.
var verbs = map[acp.ToolKind]string{
	acp.ToolKindRead: "Read", acp.ToolKindEdit: "Edit", acp.ToolKindDelete: "Delete", acp.ToolKindMove: "Move",
}

// isPath reports whether a title is only the path of the call's file.
func (c *Call) isPath(title string) bool {
	outside := strings.HasPrefix(title, "../") && filepath.Base(title) == filepath.Base(c.path())
	return strings.HasPrefix(title, "/") || outside || title != "" && strings.HasSuffix(c.path(), "/"+title)
}

// quoted matches a title with one name in backquotes.
var quoted = lazy.Regexp("^([^`]*)`([^`]+)`([^`]*)$")

// unquoted removes the backquotes that some agents put around a name or a command.
func unquoted(title string) string { return quoted().ReplaceAllString(title, "$1$2$3") }

// unfenced returns the inside of a text that is a single code block, in which some agents wrap a tool's output; other text is
// unchanged.
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
