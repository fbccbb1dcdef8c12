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
