package transcript

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// callRows draws a call: its head, and its content if it is open.
func (w *painter) callRows(it *item) []row {
	switch {
	case it.call.Kind == asking:
		return w.askedRows(it)
	case it.speech():
		return w.saidRows(it)
	}
	rows := []row{w.callHead(it)}
	c := it.call
	if !w.opts.showsItem(it) && c.Kind != runKind { // of a run it is why it has ended
		return rows
	}
	diffs := c.Diffs()
	all := !w.opts.FoldCalls || it.set // nothing is left out for a user who has opened it
	rows = append(rows, w.commandRows(c)...)
	plan := it.pageRows(len(indent))
	rows = append(rows, plan...)
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			if plan != nil {
				continue
			}
			if text := contentText(content.Content); !it.repeats(text) && (all || !c.reports(text)) {
				rows = append(rows, outputRows(unfenced(text))...)
			}
		case *acp.Diff:
			rows = append(rows, w.diffRows(it, content, len(diffs) > 1)...)
		case *acp.UnknownToolContent:
			rows = append(rows, dimRow(indent+"["+plain.Brief(content.Type)+"]"))
		}
	}
	for _, id := range c.terminals() {
		shown := w.terminalRows(it, id)
		if cmd, ok := w.opts.Terminal(id); ok && len(shown) > 0 {
			shown[0].head, shown[0].terminals = it.id, []string{cmd.ID}
		}
		rows = append(rows, shown...)
	}
	if len(rows) == 1 && len(it.children) == 0 && it.set && it.open {
		rows = append(rows, outputRows(c.raw())...)
	}
	return rows
}

// raw returns the raw input and output, for a call without other content.
func (c *Call) raw() string {
	var parts []string
	for _, raw := range []acp.Raw{c.RawInput, c.RawOutput} {
		if len(raw) > 0 {
			parts = append(parts, indented(raw))
		}
	}
	return strings.Join(parts, "\n")
}

// reports reports whether a text of a call says no more than that the edit is done which its diff shows.
func (c *Call) reports(text string) bool {
	text = strings.TrimSpace(text)
	edited := c.Status == string(acp.ToolCallCompleted) && len(c.Diffs()) > 0
	return edited && !strings.Contains(text, "\n") && strings.HasSuffix(strings.TrimSuffix(text, "."), " successfully")
}

// askedRows draws what a child is asked to do.
func (w *painter) askedRows(it *item) []row {
	if it.retold() {
		return nil
	}
	rows := outputRows(it.text())
	if n := len(rows) - maxAsked; n > 1 {
		rows = append(rows[:maxAsked], dimRow(indent+"… "+strconv.Itoa(n)+" more lines"))
	}
	for i := range rows {
		rows[i] = dimRow("  " + strings.TrimPrefix(rows[i].text, indent))
		rows[i].over(0, w.opts.Icons.Quote, "AcpDone")
	}
	return rows
}

// maxAsked is how many rows are shown of what a child is asked to do; the rest is there for who opens it.
const maxAsked = 3

// saidRows draws what a child says, rendered if it is.
func (w *painter) saidRows(it *item) []row {
	if rows := it.pageRows(2); rows != nil {
		return rows
	}
	return speechRows(it.call)
}

// speechRows draws what a subagent says, as far to the right as the words of its calls.
func speechRows(c *Call) []row {
	var rows []row
	for _, r := range outputRows(strings.Join(c.Texts(), "\n")) {
		text := "  " + strings.TrimPrefix(r.text, indent)
		if c.Kind == saying {
			rows = append(rows, row{text: text})
			continue
		}
		r = row{text: text}
		r.mark(0, len(text), thought)
		rows = append(rows, r)
	}
	return rows
}

// commandRows draws a command that the head has no room for, in the colours of a shell.
func (w *painter) commandRows(c *Call) []row {
	if !w.longCommand(c) || len(c.command) > keptPart {
		return nil
	}

	command := c.read(true)

	var rows []row
	for i, text := range command.lines {
		pad := indent
		if command.rows[i].Within {
			pad += "  "
		}
		for _, line := range broken(text) {
			r := row{text: pad + line}
			r.mark(0, len(r.text), "AcpOutput")
			if i < len(command.spans) {
				r.refine(len(pad), command.spans[i])
			}
			rows = append(rows, r)
		}

		if len(rows) > maxRows {
			return append(rows, dimRow(indent+"… <CR> opens the whole …"))
		}
	}

	return rows
}

func (w *painter) diffRows(it *item, d *acp.Diff, several bool) []row {
	var rows []row
	if several {
		r := dimRow(indent + plain.Title(plain.OneLine(w.opts.short(d.Path))))
		r.place = &Place{Path: d.Path}
		rows = append(rows, r)
	}
	v := it.call.view(d)
	if !v.asked {
		v.asked = true
		j := &Job{item: it, view: v, diff: d, file: w.opts.Text}
		if p := it.call.place(); p != nil && p.Path == d.Path {
			j.near = p.Line
		}
		w.pending.jobs = append(w.pending.jobs, j)
	}
	for i, l := range v.lines {
		if i == maxRows && v.uncompared == 0 {
			return append(rows, dimRow(fmt.Sprintf("%s… %d more lines; <CR> opens the whole …", indent, len(v.lines)+v.more-i)))
		}
		if i == maxRows {
			break
		}
		r := l.row(gutter)
		if l.sign == "…" {
			r.text = gutter + w.opts.Icons.Cut
		}
		r.place = &Place{Path: d.Path, Line: v.numberOf(l)}
		if r.place.Line > 0 {
			r.over(0, fmt.Sprintf("%4d", r.place.Line), "AcpLineNr")
		} else if len(it.call.Locations) == 0 {
			r.place.Line = l.number // the best that is known, until it is found
		}
		if i < len(v.spans) {
			r.refine(len(gutter)+2, v.spans[i])
		}
		rows = append(rows, r)
	}
	if v.uncompared > 0 {
		rows = append(rows, dimRow(indent+"… "+v.left()+" …"))
	}
	return rows
}

// terminalRows draws the end of a command's output, and its status.
func (w *painter) terminalRows(it *item, id string) []row {
	c := it.call
	cmd, ok := w.opts.Terminal(id)
	if !ok {
		return []row{dimRow(indent + "terminal not available")}
	}
	if cmd.Display {
		cmd.Line, cmd.Took = plain.OneLine(c.command), took([]*item{it}, w.opts.Now())
		cmd.Running = cmd.Running && c.asking == 0
		if cmd.Exit != "" {
			cmd.Exit = cmp.Or(c.exit.text, cmd.Exit)
		}
	}
	var rows []row
	if !strings.Contains(c.command, cmd.Line) && !strings.Contains(c.Heading(), scriptOf(cmd.Line)) {
		rows = append(rows, dimRow(indent+"$ "+broken(cmd.Line)[0]))
	}
	if cmd.Truncated {
		rows = append(rows, dimRow(indent+"… output truncated"))
	}
	for _, line := range cmd.Tail {
		rows = append(rows, dimRow(indent+broken(line)[0]))
	}
	if cmd.Exit != "" {
		r := row{text: indent + cmd.Exit}
		r.mark(0, len(r.text), "AcpFailed")
		rows = append(rows, r)
	}
	timed := it.call.Status == string(acp.ToolCallInProgress) // the call's own line shows the time
	state := commandState(cmd, timed)
	if len(rows) == 0 && cmd.Waiting {
		rows = append(rows, dimRow(indent))
	}
	if len(rows) > 0 {
		rows[len(rows)-1].right(state...)
	}
	return rows
}

// commandState returns the right-hand text of a command's last line: its time, if it is long and not shown elsewhere, and a
// hint.
func commandState(cmd Command, timed bool) [][2]string {
	var state [][2]string
	if !timed && (cmd.Running || cmd.Took >= time.Second) {
		state = append(state, [2]string{clock(cmd.Took), "AcpDone"})
	}
	switch {
	case cmd.Waiting:
		state = append(state, [2]string{"  <CR> opens the terminal", "AcpPending"})
	case cmd.Running:
		state = append(state, [2]string{"  <CR> opens the terminal", "AcpDone"})
	}
	return state
}

// row draws a line of a diff.
func (l diffLine) row(indent string) row { return l.cut(indent, longLine) }

// cut is row with at most so many bytes of the text.
func (l diffLine) cut(indent string, most int) row {
	text := plain.Short(l.text, most)
	r := row{text: indent + l.sign + " " + printable([]byte(text))}
	if group := diffGroup(l.sign); group != "" {
		from := 0
		if sign := signGroup(l.sign); sign != "" {
			from = len(indent) + 2 // where wrapped rows begin, so that what is coloured is a rectangle
			r.mark(len(indent), from-1, sign)
		}
		r.mark(from, marks.Line, group)
	}
	return r
}

// refine adds the spans of a text that begins at a column of the row.
func (r *row) refine(col int, spans []highlight.Span) {
	for _, s := range spans {
		if to := min(col+s.To, len(r.text)); col+s.From < to {
			r.mark(col+s.From, to, s.Group)
		}
	}
}
