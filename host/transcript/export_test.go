package transcript

import (
	"strings"
	"testing"
)

// What the agent is told beside the user's words is folded in an export, in a fence that is longer than those of its text.
func TestToldIsExported(t *testing.T) {
	log := New(Options{})
	log.Told("2 things\nare told", "first\n```\ncode\n```\nlast")
	const want = "<details><summary>2 things are told</summary>\n\n````\nfirst\n```\ncode\n```\nlast\n````\n\n</details>"
	if got := log.Blocks().Markdown(Head{}); strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
