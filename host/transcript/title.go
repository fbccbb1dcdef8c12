package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

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
		return plain.Title(plain.OneLine(t.short(paths[0])))
	case len(paths) > 1:
		return fmt.Sprintf("%d files", len(paths))
	}

	if t.longCommand(c) {
		title := unquoted(plain.OneLine(c.Title))
		line := c.read(false)
		if rest, cut := strings.CutSuffix(title, "…"); title == "" || strings.Contains(plain.OneLine(c.command), rest) || cut && strings.HasPrefix(line.script, rest) {
			title = line.firstRow()
		}
		return plain.Title(t.short(title))
	}

	return plain.Title(t.short(c.Heading()))
}

// iconOf returns the icon of a call's head, by what it waits for or is, and its group.
func (t *Transcript) iconOf(it *item) (icon, group string) {
	icons, c := t.opts.Icons, it.call
	switch {
	case c.asking > 0:
		return icons.Ask, "AcpPending"
	case c.rejected && c.Status != string(acp.ToolCallCompleted), t.failed(c):
		return icons.Failed, "AcpFailed"
	case c.waits && !c.finished():
		return icons.Ask, "AcpPending"
	case len(it.children) > 0 || c.Kind == runKind:
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

// Counts says how many lines were added and deleted, "" for none.
func (i Icons) Counts(added, deleted int) string {
	var parts []string
	if added > 0 {
		parts = append(parts, fmt.Sprintf("+%d", added))
	}
	if deleted > 0 {
		parts = append(parts, fmt.Sprintf("%s%d", cmp.Or(i.Minus, "−"), deleted))
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
