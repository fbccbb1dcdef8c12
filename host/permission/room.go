package permission

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

const (
	// maxText is how many bytes of lines a float holds: Neovim lays all of them out at once.
	maxText = 256 << 10
	// maxDiff is how many of them are of a diff.
	maxDiff = maxText / 2
	// maxAtOnce is how many bytes of several requests go to Neovim at once.
	maxAtOnce = 2 * maxText
)

// add adds a line, as far as there is room for it.
func (p *Shown) add(line string) {
	kept := plain.Cut(line, max(maxText-p.size, 0))
	p.Large += len(line) - len(kept)
	if kept == "" && line != "" {
		return
	}
	p.size += len(kept) + 1
	p.Lines = append(p.Lines, kept)
}

// take returns as much of a text as there is room for: megabytes are not cleaned.
func (p *Shown) take(text string) string {
	kept := plain.Cut(text, max(maxText-p.size, 0))
	p.Large += len(text) - len(kept)
	return kept
}

func (p *Shown) addText(indent, text string) {
	for _, line := range strings.Split(plain.Visible(p.take(text)), "\n") {
		p.add(indent + line)
	}
}

// addValue adds a part of an input.
func (p *Shown) addValue(name, value string) {
	name = plain.Short(name, maxLine)
	lines := strings.Split(plain.Visible(p.take(value)), "\n")
	if len(lines) == 1 {
		p.add(margin + name + ": " + lines[0])
		return
	}
	p.add(margin + name + ":")
	for _, line := range lines {
		p.add(margin + hang + line)
	}
}

func (p *Shown) addDim(line string) { p.addIn("AcpDone", line) }

func (p *Shown) addWarning(line string) { p.addIn("AcpWarning", line) }

func (p *Shown) addIn(group, line string) {
	p.addMarked([]string{line}, marks.List{marks.New(0, 0, len(line), group)})
}

// addMarked adds lines with their marks, whose rows are counted from the first of them.
func (p *Shown) addMarked(lines []string, list marks.List) {
	first, row := len(p.Marks), len(p.Lines)
	for _, line := range lines {
		p.add(line)
	}
	for _, m := range list {
		if row+m.Row < len(p.Lines) {
			p.Marks = append(p.Marks, m)
		}
	}
	p.Marks[first:].Move(row, 0)
}

// refuse says that a request can only be rejected.
func (p *Shown) refuse() {
	text := fmt.Sprintf("%s… %s more are not shown. What cannot be read here can only be rejected", margin, transcript.Size(p.Large))
	p.Marks = append(p.Marks, marks.New(len(p.Lines), 0, len(text), "AcpWarning"))
	p.Lines = append(p.Lines, text)
	p.Must, p.Whole = len(p.Lines), true
}

// addDetails adds a request as the agent has sent it.
func (v *view) addDetails() {
	p := &v.p
	if !v.formed {
		v.raw, v.formed = rawOf(v.made.Raw), true
		if v.size = len(v.raw); v.size > maxText {
			v.raw = nil
		}
	}

	raw := v.raw
	if v.size > maxText {
		p.Lines = append(p.Lines, "", fmt.Sprintf("%s%s of JSON are too much to be shown", margin, transcript.Size(v.size)))
		return
	}

	text := []byte(raw)
	if !plain.Deep(raw) {
		options := []jsontext.Options{jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(false)}
		if pretty, err := jsontext.AppendFormat(nil, raw, options...); err == nil {
			text = pretty
		}
	}

	var lines []string
	for _, line := range strings.Split(plain.Visible(string(text)), "\n") {
		lines = append(lines, margin+line)
	}

	var list marks.List
	if len(text) <= maxLit {
		for i, spans := range highlight.Code("json", lines) {
			list.Add(i, spans)
		}
	}

	size, large := p.size, p.Large
	p.size = 0 // it has room of its own
	p.add("")
	p.addMarked(lines, list)
	if left := p.Large - large; left > 0 {
		p.Lines = append(p.Lines, fmt.Sprintf("%s… %s more are not shown", margin, transcript.Size(left)))
	}

	p.size, p.Large = p.size+size, large
}
