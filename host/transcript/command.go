package transcript

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/shell"
)

// maxCommand is how many bytes of a command a head has. A longer one is below it, broken at its operators.
const maxCommand = 100

// commandLine is a command as a shell reads it. It is not changed.
type commandLine struct {
	text   string // as the agent has sent it
	script string // what a wrapper such as bash -lc runs; else the text

	rows     []shell.Row // of the script, if it is long
	lines    []string    // the text of the rows
	spans    [][]highlight.Span
	coloured bool // spans were asked for
}

// readCommand reads a command, with its colours if they are wanted. That takes some milliseconds for a long one.
func readCommand(text string, colours bool) *commandLine {
	l := &commandLine{text: text, script: scriptOf(text), coloured: colours}
	if !l.long() {
		return l
	}

	shown := plain.Cut(l.script, keptPart) // a longer one is not drawn but for its first row
	l.rows = shell.Rows(shown)
	for _, r := range l.rows {
		line := plain.Visible(l.script[r.From:r.To])
		if r.Broken {
			line += `\`
		}
		l.lines = append(l.lines, line)
	}

	if colours && len(l.script) <= longLine { // more takes too long for the goroutine that draws
		l.spans = highlight.Code("bash", l.lines)
	}

	return l
}

// long reports whether a head has no room for the command.
func (l *commandLine) long() bool {
	return len(l.script) > maxCommand || strings.Contains(strings.TrimSpace(l.script), "\n")
}

// firstRow returns the first row of a long command.
func (l *commandLine) firstRow() string {
	text := plain.OneLine(strings.TrimSpace(l.script[l.rows[0].From:l.rows[0].To]))
	return plain.Cut(text, maxCommand) + "…"
}

// isRead reports whether the call's command has been read, with its colours if they are wanted.
func (c *Call) isRead(colours bool) bool {
	return c.line != nil && c.line.text == c.command && (c.line.coloured || !colours)
}

// read returns the call's command as a shell reads it.
func (c *Call) read(colours bool) *commandLine {
	if !c.isRead(colours) {
		c.line = readCommand(c.command, colours)
	}
	return c.line
}

// script returns what the call's command runs. Unlike read it does not change the call.
func (c *Call) script() string {
	if c.isRead(false) {
		return c.line.script
	}
	return scriptOf(c.command)
}

// scriptOf returns what a command runs: the script of a wrapper such as bash -lc, else all of it.
func scriptOf(command string) string {
	_, script := shell.Unwrap(command)
	return script
}

// isCommand reports whether the call is shown as the command in its raw input: whatever kind its agent gives it, if the command has
// several words. One word may be what an editing tool is to do.
func (c *Call) isCommand() bool {
	return c.command != "" && (c.Kind == acp.ToolKindExecute || strings.ContainsAny(strings.TrimSpace(c.command), " \t\n"))
}
