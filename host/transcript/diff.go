package transcript

import (
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// diffLine is one line of a diff. number is its line in the new text, or in the old one for a deleted line, from 1.
type diffLine struct {
	sign   string // " ", "-", "+" or "…" between hunks
	text   string
	number int
}

func textLines(s string) []string {
	if s == "" {
		return nil
	}
	return buffers.Parse(s).Lines
}

func oldText(d *acp.Diff) string {
	if d.OldText == nil {
		return ""
	}
	return *d.OldText
}

// count returns how many lines a diff of the call adds and deletes.
func (c *Call) count(d *acp.Diff) (added, deleted int) {
	v := c.view(d)
	return v.added, v.deleted
}

// diffLines returns the hunks of a diff with some lines of context.
func diffLines(d *acp.Diff, context int) []diffLine {
	a := textLines(oldText(d))
	edits := buffers.Edits(a, textLines(d.NewText))
	var out []diffLine
	shift, shown := 0, 0 // shown: lines of a that are out
	for i, e := range edits {
		first := max(e.Start-context, shown)
		if first > shown && i > 0 {
			out = append(out, diffLine{sign: "…"})
		}
		out = appendContext(out, a, first, e.Start, shift)
		for n := e.Start; n < e.End; n++ {
			out = append(out, diffLine{"-", a[n], n + 1})
		}
		for n, line := range e.Lines {
			out = append(out, diffLine{"+", line, e.Start + shift + n + 1})
		}
		shift += len(e.Lines) - (e.End - e.Start)
		stop := min(e.End+context, len(a))
		if i+1 < len(edits) {
			stop = min(stop, edits[i+1].Start)
		}
		out = appendContext(out, a, e.End, stop, shift)
		shown = stop
	}
	return out
}

func appendContext(out []diffLine, a []string, from, to, shift int) []diffLine {
	for n := from; n < to; n++ {
		out = append(out, diffLine{" ", a[n], n + shift + 1})
	}
	return out
}

func signGroup(sign string) string {
	switch sign {
	case "+":
		return "AcpSignAdd"
	case "-":
		return "AcpSignDelete"
	}
	return ""
}

func diffGroup(sign string) string {
	switch sign {
	case "+":
		return "AcpAdd"
	case "-":
		return "AcpDelete"
	case "…":
		return "AcpDone"
	}
	return ""
}
