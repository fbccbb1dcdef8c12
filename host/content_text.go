package host

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// cutText is the beginning of a text that is too large to go along, up to the end of a line.
func cutText(text string) string {
	if len(text) <= maxEmbedded {
		return text
	}
	n := plain.Start(text, maxEmbedded)
	if end := strings.LastIndexByte(text[:n], '\n'); end > 0 {
		n = end + 1
	}
	return text[:n]
}

// fenced is a text as a code block, with a fence that does not occur in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
