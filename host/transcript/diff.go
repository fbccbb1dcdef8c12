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
