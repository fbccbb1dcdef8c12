package terminal

import (
	"strings"
	"testing"
)

// Dropped output is reported also where the rest would fit, because the command has cleared its screen since
// (behaviour 85).
func TestDroppedIsSaid(t *testing.T) {
	const limit = 10
	term := limited(limit)
	term.Feed([]byte(strings.Repeat(strings.Repeat("x", 30)+"\n", 80) + "\x1b[50A\x1b[J"))
	text, truncated, _ := term.Output()
	if !truncated || len(text) != limit {
		t.Errorf("got %q, truncated %t", text, truncated)
	}
	if said, _ := term.State(); !said {
		t.Errorf("State says that nothing is missing")
	}
}
