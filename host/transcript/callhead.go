package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

func (w *painter) callHead(it *item) row {
	c := it.call
	r := row{text: w.titleOf(c), head: it.id, folds: true, open: w.opts.showsItem(it)}
	for _, id := range c.terminals() {
		if cmd, ok := w.opts.Terminal(id); ok && c.path() == "" {
			r.terminals = append(r.terminals, cmd.ID)
		}
	}
	group := "AcpCall"
	if c.finished() {
		group = "AcpDone"
	}
	right := w.callStatus(it)
	icon, tone := w.iconOf(it)
	if n := len(right); n > 0 && right[n-1][1] != "AcpDone" && right[n-1][1] != "AcpOutput" {
		tone = right[n-1][1] // the status, also where its words have no room
	}
	r.mark(0, len(r.text), group)
	r.icon(0, icon, tone)
	r.right(right...)
	r.place = c.place()
	return r
}

func (w *painter) callStatus(it *item) [][2]string {
	c := it.call
	if c.Kind == runKind {
		return w.runStatus(it)
	}
	var chunks [][2]string
	added, deleted, known := c.counts()
	if counts := w.opts.Icons.Counts(added, deleted); known && counts != "" {
		chunks = append(chunks, [2]string{counts + "  ", "AcpDone"})
	}
	if c.saved {
		chunks = append(chunks, [2]string{"saved version  ", "AcpWarning"})
	}
	if n := it.calls(); n == 1 {
		chunks = append(chunks, [2]string{"1 call  ", "AcpDone"})
	} else if n > 1 {
		chunks = append(chunks, [2]string{fmt.Sprintf("%d calls  ", n), "AcpDone"})
	}
	if c.Status == string(acp.ToolCallCompleted) { // many agents report that whatever the exit status
		if exit := w.opts.exit(c); exit.text != "" {
			chunks = append(chunks, [2]string{exit.text + "  ", "AcpFailed"})
		}
	}
	if c.rejected {
		return append(chunks, w.statusWord(it))
	}
	if len(chunks) > 0 && c.Status == string(acp.ToolCallCompleted) && c.asking == 0 {
		chunks[len(chunks)-1][0] = strings.TrimRight(chunks[len(chunks)-1][0], " ")
		return chunks // the past tense of its heading says so
	}
	if c.Status == string(acp.ToolCallCompleted) && c.asking == 0 {
		if took := took([]*item{it}, w.opts.Now()); took >= time.Second {
			chunks = append(chunks, [2]string{seconds(took), "AcpDone"})
		}
		return chunks
	}
	return append(chunks, w.statusWord(it))
}

// runStatus is the right-hand text of a run: how many calls, its state, its time.
func (w *painter) runStatus(it *item) [][2]string {
	var chunks [][2]string
	switch n := it.calls(); {
	case n == 1:
		chunks = append(chunks, [2]string{"1 call  ", "AcpDone"})
	case n > 1:
		chunks = append(chunks, [2]string{strconv.Itoa(n) + " calls  ", "AcpDone"})
	}

	c := it.call
	if c.Status != string(acp.ToolCallCompleted) {
		word := w.statusWord(it)
		if word[1] == "AcpDone" {
			word[1] = "AcpOutput" // as dim, and goes last
		}
		chunks = append(chunks, [2]string{word[0] + "  ", word[1]})
	}
	if took := took([]*item{it}, w.opts.Now()); c.finished() && took >= time.Second {
		chunks = append(chunks, [2]string{seconds(took), "AcpDone"})
	}
	if n := len(chunks); n > 0 {
		chunks[n-1][0] = strings.TrimRight(chunks[n-1][0], " ")
	}

	return chunks
}

func (w *painter) statusWord(it *item) [2]string {
	c := it.call
	switch {
	case c.run.stops && !c.finished():
		return [2]string{it.since("stopping", w.opts.Now()), "AcpRunning"}
	case c.asking > 0 || c.run.waits && !c.finished():
		return [2]string{"waiting", "AcpPending"}
	case c.rejected:
		return [2]string{c.refused(), "AcpFailed"}
	}
	switch c.Status {
	case string(acp.ToolCallPending):
		return [2]string{"pending", "AcpDone"}
	case string(acp.ToolCallInProgress):
		if w.opts.waitsForInput(c) {
			return [2]string{"waits for input", "AcpPending"}
		}
		return [2]string{it.since("running", w.opts.Now()), "AcpRunning"}
	case string(acp.ToolCallFailed):
		return [2]string{"failed", "AcpFailed"}
	}
	return [2]string{plain.Brief(c.Status), "AcpDone"}
}

// since returns a state of an item with its time so far, if that is known.
func (it *item) since(state string, now time.Time) string {
	if it.began.IsZero() {
		return state
	}
	return state + " " + clock(took([]*item{it}, now))
}

// titleOf returns the words of a call's head: for changes of files which ones, else its heading.
func (w *painter) titleOf(c *Call) string {
	var paths []string
	for _, d := range c.Diffs() {
		if !slices.Contains(paths, d.Path) {
			paths = append(paths, d.Path)
		}
	}

	switch {
	case len(paths) == 1:
		return plain.Title(plain.OneLine(w.opts.short(paths[0])))
	case len(paths) > 1:
		return fmt.Sprintf("%d files", len(paths))
	}

	if w.longCommand(c) {
		title := unquoted(plain.OneLine(c.Title))
		line := c.read(false)
		rest, cut := strings.CutSuffix(title, "…")
		if title == "" || strings.Contains(plain.OneLine(c.command), rest) || cut && strings.HasPrefix(line.script, rest) {
			title = line.firstRow()
		}
		return plain.Title(w.opts.short(title))
	}

	return plain.Title(w.opts.short(c.Heading()))
}

func (w *painter) longCommand(c *Call) bool { return c.isCommand() && c.read(false).long() }

// iconOf returns the icon of a call's head, by what it waits for or is, and its group.
func (w *painter) iconOf(it *item) (icon, group string) {
	icons, c := w.opts.Icons, it.call
	switch {
	case c.asking > 0:
		return icons.Ask, "AcpPending"
	case c.rejected, w.opts.failed(c):
		return icons.Failed, "AcpFailed"
	case c.run.waits && !c.finished():
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
