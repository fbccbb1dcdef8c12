package permission

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/shell"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// showCommand shows every byte of a command and of what its input has beside it, what the agent says of it, and where it runs.
func (v *view) showCommand(c *transcript.Call) (does string) {
	p := &v.p
	command := c.Command()
	if len(command) <= maxText {
		v.layOut(command)
		p.addMarked(v.command.lines, v.command.marks)
	} else {
		p.addText(margin, command)
	}
	for _, m := range c.Input().Unknown() {
		p.addValue(plain.OneLine(m.Name), m.Shown())
	}

	p.Must, p.Whole = len(p.Lines), true

	dir := v.folder(v.runsIn(c))
	if words := aside(c); words != "" {
		dir = words + v.viewer.Icons.Between() + dir
	}

	p.addDim(margin + dir)
	if len(command) > 100 {
		p.Label = strings.TrimLeft(v.viewer.Icons.Between(), " ") + fmt.Sprintf("%d bytes", len(command))
	}

	return "run a command"
}

// aside returns what an agent says of a command in one short line, "" if it says only the command again, or more.
func aside(c *transcript.Call) string {
	_, script := shell.Unwrap(c.Command())
	for _, text := range append([]string{c.Title}, c.Texts()...) {
		if len(text) > maxLine {
			continue
		}
		line := strings.Trim(plain.OneLine(text), "` ")
		again := strings.Contains(c.Command(), line) || strings.Contains(line, plain.OneLine(script))
		if line != "" && len(line) <= 120 && !again && !strings.Contains(text, "\n") {
			return line
		}
	}
	return ""
}

// runsIn returns the folder that a call runs in, "" for the session's.
func (v *view) runsIn(c *transcript.Call) string {
	if v.made.Dir == "" {
		return c.Dir()
	}
	return absolute(v.made.Dir, cmp.Or(c.Dir(), v.made.Dir))
}

// layOut breaks a command into rows at its operators and finds its colours and doubtful parts, once for each command.
func (v *view) layOut(command string) {
	if v.command != nil && v.command.of == command {
		return
	}
	v.command = &commandView{of: command}
	var doubts [][2]int
	if r, ok := v.RuleRequest(v.name, v.viewer.Cwd); ok {
		doubts = rules.Doubtful(v.rules, r)
	}
	v.command.write(command, doubts)
}

func (v *commandView) write(command string, doubts [][2]int) {
	rows := shell.Rows(command)

	var shown []string // without the space before them
	for _, r := range rows {
		text := plain.Exact(command[r.From:r.To])
		if r.Broken {
			text += `\` // where a shell reads the same
		}
		shown = append(shown, text)
		v.lines = append(v.lines, padOf(r)+text)
	}

	if len(command) <= maxLit {
		for i, spans := range highlight.Code("bash", shown) {
			for _, s := range spans {
				v.mark(i, len(padOf(rows[i]))+s.From, len(padOf(rows[i]))+s.To, s.Group)
			}
		}
	}
	for i, r := range rows {
		if r.Broken {
			v.mark(i, len(v.lines[i])-1, len(v.lines[i]), "AcpDone")
		}
		for _, d := range doubts {
			from, to := max(d[0], r.From), min(d[1], r.To)
			if from < to {
				shift := func(n int) int { return len(padOf(r)) + len(plain.Exact(command[r.From:n])) }
				v.mark(i, shift(from), shift(to), "AcpDoubt")
			}
		}
	}
}

func (v *commandView) mark(row, from, to int, group string) {
	v.marks = append(v.marks, marks.New(row, from, to, group))
}

// padOf is what a row of a command begins with.
func padOf(r shell.Row) string {
	if r.Within {
		return margin + hang
	}
	return margin
}
