package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/shell"
)

// longCommand is how many bytes of a command a head has. A longer one is below it, broken at its operators.
const longCommand = 100

// titleOf returns the words of a call's head: for changes of files which ones, else its heading.
func (t *Transcript) titleOf(c *Call) string {
	var paths []string
	for _, d := range c.Diffs() {
		if !slices.Contains(paths, d.Path) {
			paths = append(paths, d.Path)
		}
	}
	switch {
	case len(paths) == 1:
		return cutHead(OneLine(t.short(paths[0])))
	case len(paths) > 1:
		return fmt.Sprintf("%d files", len(paths))
	}
	if t.longCommand(c) {
		title := unquoted(OneLine(c.Title))
		_, script := shell.Unwrap(c.command)
		if rest, cut := strings.CutSuffix(title, "…"); title == "" || strings.Contains(OneLine(c.command), rest) || cut && strings.HasPrefix(script, rest) {
			title = firstRow(script)
		}
		return cutHead(t.short(title))
	}
	return cutHead(t.short(c.Heading()))
}

// firstRow returns the first row of a command.
func firstRow(command string) string {
	first := shell.Rows(command)[0]
	text := OneLine(strings.TrimSpace(command[first.From:first.To]))
	if len(text) > longCommand {
		text = text[:safeCut([]byte(text), longCommand)]
	}
	return text + "…"
}

func (t *Transcript) longCommand(c *Call) bool {
	_, script := shell.Unwrap(c.command)
	return c.Kind == acp.ToolKindExecute && (len(script) > longCommand || strings.Contains(strings.TrimSpace(script), "\n"))
}

// commandRows draws a command that the head has no room for, in the colours of a shell.
func (t *Transcript) commandRows(c *Call) []row {
	if !t.longCommand(c) || len(c.command) > keptPart {
		return nil
	}
	_, script := shell.Unwrap(c.command)
	parts := shell.Rows(script)
	var texts []string
	for _, p := range parts {
		text := Visible(script[p.From:p.To])
		if p.Broken {
			text += `\`
		}
		texts = append(texts, text)
	}
	var spans [][]highlight.Span
	if len(script) <= longLine { // more takes too long for the goroutine that draws
		spans = highlight.Code("bash", texts)
	}

	var rows []row
	for i, text := range texts {
		pad := indent
		if parts[i].Within {
			pad += "  "
		}
		for _, line := range broken(text) {
			r := row{text: pad + line}
			r.mark(0, len(r.text), "AcpOutput")
			if i < len(spans) {
				r.refine(len(pad), spans[i])
			}
			rows = append(rows, r)
		}
		if len(rows) > maxRows {
			return append(rows, dimRow(indent+"… <CR> opens the whole …"))
		}
	}
	return rows
}

// iconOf returns the icon of a call's head, by what it waits for or is, and its group.
func (t *Transcript) iconOf(it *item) (icon, group string) {
	icons, c := t.opts.Icons, it.call
	switch {
	case c.asking > 0:
		return icons.Ask, "AcpPending"
	case c.rejected && c.Status != string(acp.ToolCallCompleted), t.failed(c):
		return icons.Failed, "AcpFailed"
	case len(it.children) > 0:
		return icons.Task, "AcpKindTask"
	}
	icon, group = icons.Other, "AcpKindOther"
	switch c.Kind {
	case acp.ToolKindRead:
		icon, group = icons.Read, "AcpKindRead"
	case acp.ToolKindSearch:
		icon, group = icons.Search, "AcpKindRead"
	case acp.ToolKindEdit:
		icon, group = icons.Edit, "AcpKindEdit"
	case acp.ToolKindDelete:
		icon, group = icons.Delete, "AcpKindEdit"
	case acp.ToolKindMove:
		icon, group = icons.Move, "AcpKindEdit"
	case acp.ToolKindExecute:
		icon, group = icons.Run, "AcpKindRun"
	case acp.ToolKindFetch:
		icon, group = icons.Fetch, "AcpKindFetch"
	case acp.ToolKindThink:
		icon, group = icons.Think, "AcpKindThink"
	case acp.ToolKindSwitchMode:
		icon, group = icons.Mode, "AcpKindOther"
	}
	return cmp.Or(icon, icons.Closed), group
}

// Between is what separates words of ours on a line.
func (i Icons) Between() string { return " " + cmp.Or(i.Dot, "·") + " " }

// counts says how many lines were added and deleted, "" for none.
func (t *Transcript) counts(added, deleted int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, fmt.Sprintf("+%d", added))
	}
	if deleted > 0 {
		parts = append(parts, fmt.Sprintf("%s%d", t.opts.Icons.Minus, deleted))
	}
	return strings.Join(parts, " ")
}

// seconds says how long something took: "4 s", "1 m 12 s".
func seconds(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d h %d m", s/3600, s%3600/60)
	case s >= 60:
		return fmt.Sprintf("%d m %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d s", s)
}
