package permission

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// addDetails adds a request as the agent has sent it.
func (p *Shown) addDetails(raw acp.Raw) {
	text, err := jsontext.AppendFormat(nil, raw, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.PreserveRawStrings(false))
	if err != nil {
		text = raw
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
	p.add("")
	p.addMarked(lines, list)
}
