package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

const (
	indent  = "    "
	gutter  = "      " // for the numbers of lines; with the sign eight cells, so that tabs are as wide as in the file
	maxRows = 400      // of one content of a call; the middle of a longer one is omitted
)

// callRows draws a call: its head, and its content if it is open.
func (t *Transcript) callRows(it *item) []row {
	switch {
	case it.call.Kind == asking:
		return t.askedRows(it)
	case it.speech():
		return t.saidRows(it)
	}
	rows := []row{t.callHead(it)}
	c := it.call
	if !t.showsItem(it) && c.Kind != runKind { // of a run it is why it has ended
		return rows
	}
	diffs := c.Diffs()
	all := !t.opts.FoldCalls || it.set // nothing is left out for a user who has opened it
	rows = append(rows, t.commandRows(c)...)
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
			rows = append(rows, t.diffRows(it, content, len(diffs) > 1)...)
		case *acp.UnknownToolContent:
			rows = append(rows, dimRow(indent+"["+plain.Brief(content.Type)+"]"))
		}
	}
	for _, id := range c.terminals() {
		shown := t.terminalRows(it, id)
		if cmd, ok := t.opts.Terminal(id); ok && len(shown) > 0 {
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

func (t *Transcript) callHead(it *item) row {
	c := it.call
	r := row{text: t.titleOf(c), head: it.id, folds: true, open: t.showsItem(it)}
	for _, id := range c.terminals() {
		if cmd, ok := t.opts.Terminal(id); ok && c.path() == "" {
			r.terminals = append(r.terminals, cmd.ID)
		}
	}
	group := "AcpCall"
	if c.finished() {
		group = "AcpDone"
	}
	right := t.callStatus(it)
	icon, tone := t.iconOf(it)
	if n := len(right); n > 0 && right[n-1][1] != "AcpDone" && right[n-1][1] != "AcpOutput" {
		tone = right[n-1][1] // the status, also where its words have no room
	}
	r.mark(0, len(r.text), group)
	r.icon(0, icon, tone)
	r.right(right...)
	r.place = c.place()
	return r
}

// place returns the last location of a call, nil if it has none.
func (c *Call) place() *Place {
	if len(c.Locations) > 0 {
		return placeOf(c.Locations[0])
	}
	if diffs := c.Diffs(); len(diffs) > 0 {
		return &Place{Path: diffs[0].Path}
	}
	return nil
}

func placeOf(l acp.ToolCallLocation) *Place {
	p := &Place{Path: l.Path}
	if l.Line != nil {
		p.Line = int(*l.Line)
	}
	return p
}

func (t *Transcript) callStatus(it *item) [][2]string {
	c := it.call
	if c.Kind == runKind {
		return t.runStatus(it)
	}
	var chunks [][2]string
	added, deleted, known := c.counts()
	if counts := t.opts.Icons.Counts(added, deleted); known && counts != "" {
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
		if exit := t.exit(c); exit.text != "" {
			chunks = append(chunks, [2]string{exit.text + "  ", "AcpFailed"})
		}
	}
	if len(chunks) > 0 && c.Status == string(acp.ToolCallCompleted) && c.asking == 0 {
		chunks[len(chunks)-1][0] = strings.TrimRight(chunks[len(chunks)-1][0], " ")
		return chunks // the past tense of its heading says so
	}
	if c.Status == string(acp.ToolCallCompleted) && c.asking == 0 {
		if took := took([]*item{it}, t.opts.Now()); took >= time.Second {
			chunks = append(chunks, [2]string{seconds(took), "AcpDone"})
		}
		return chunks
	}
	return append(chunks, t.statusWord(it))
}

func (t *Transcript) statusWord(it *item) [2]string {
	c := it.call
	switch {
	case c.stops && !c.finished():
		return [2]string{it.since("stopping", t.opts.Now()), "AcpRunning"}
	case c.asking > 0 || c.waits && !c.finished():
		return [2]string{"waiting", "AcpPending"}
	case c.rejected && c.Status != string(acp.ToolCallCompleted):
		return [2]string{"rejected", "AcpFailed"}
	}
	switch c.Status {
	case string(acp.ToolCallPending):
		return [2]string{"pending", "AcpDone"}
	case string(acp.ToolCallInProgress):
		if t.waitsForInput(c) {
			return [2]string{"waits for input", "AcpPending"}
		}
		return [2]string{it.since("running", t.opts.Now()), "AcpRunning"}
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

func clock(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func dimRow(text string) row {
	r := row{text: text}
	r.mark(0, len(text), "AcpOutput")
	return r
}

// outputRows draws text below a call, and omits the middle of a long one.
func outputRows(text string) []row {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	head, tail := ends(lines)
	var rows []row
	for i := 0; i < len(lines); i++ {
		if i == head && head+tail < len(lines) {
			skipped := len(lines) - head - tail
			rows = append(rows, dimRow(fmt.Sprintf("%s… %d lines not shown; <CR> opens the whole …", indent, skipped)))
			i += skipped
			if i == len(lines) {
				break
			}
		}
		for _, part := range broken(lines[i]) {
			rows = append(rows, dimRow(indent+part))
		}
	}
	return rows
}

// ends are how many lines of a text are shown at its beginning and at its end: all of them, or so many that they are not much
// more than maxRows lines and keptPart bytes.
func ends(lines []string) (head, tail int) {
	fits := func(n *int, at func(n int) string) {
		for size := 0; head+tail < len(lines) && *n < maxRows/2 && size < keptPart/2; *n++ {
			size += min(len(at(*n)), keptPart) + 1
		}
	}
	fits(&head, func(n int) string { return lines[n] })
	fits(&tail, func(n int) string { return lines[len(lines)-1-n] })
	return head, tail
}

// broken splits a line that is too long for the editor; of a very long one only the first part is kept.
func broken(line string) []string {
	if len(line) <= longLine {
		return []string{printable([]byte(line))}
	}
	text := []byte(line)
	if len(text) > keptPart {
		text = text[:plain.Start(text, keptPart)]
	}
	lines, _ := drawAll(text, stylePlain, nil, nil)
	return append(lines, "…")
}

func (t *Transcript) diffRows(it *item, d *acp.Diff, several bool) []row {
	var rows []row
	if several {
		r := dimRow(indent + plain.Title(plain.OneLine(t.short(d.Path))))
		r.place = &Place{Path: d.Path}
		rows = append(rows, r)
	}
	v := it.call.view(d)
	if !v.asked {
		v.asked = true
		j := &Job{item: it, view: v, diff: d, file: t.opts.Text}
		if p := it.call.place(); p != nil && p.Path == d.Path {
			j.near = p.Line
		}
		t.work.jobs = append(t.work.jobs, j)
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
			r.text = gutter + t.opts.Icons.Cut
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

// short removes the session's folder from the paths in a text.
func (t *Transcript) short(text string) string {
	if t.opts.Cwd == "" {
		return text
	}
	return strings.ReplaceAll(text, t.opts.Cwd+"/", "")
}

// terminalRows draws the end of a command's output, and its status.
func (t *Transcript) terminalRows(it *item, id string) []row {
	c := it.call
	cmd, ok := t.opts.Terminal(id)
	if !ok {
		return []row{dimRow(indent + "terminal not available")}
	}
	if cmd.Display {
		cmd.Line, cmd.Took = plain.OneLine(c.command), took([]*item{it}, t.opts.Now())
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

// waitsForInput reports whether a command of a call seems to wait for input.
func (t *Transcript) waitsForInput(c *Call) bool {
	return slices.ContainsFunc(c.terminals(), func(id string) bool {
		cmd, ok := t.opts.Terminal(id)
		return ok && cmd.Waiting
	})
}
