package program

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/attach"
)

// What ps prints has no control characters, whatever folders, agents and requests are called (behaviour 751).
func TestListIsPlain(t *testing.T) {
	const evil = "a\x1b]0;title\x07\x1b[2J\r\nb\t\u202ec\x9b1m"
	hosts := []attach.About{
		{PID: 1, Since: 1, Sessions: []attach.Session{{Name: evil, State: evil, Cwd: "/" + evil, Title: evil, Pending: []string{evil}}}},
		{PID: 2, Problem: evil},
	}
	var out strings.Builder
	if err := list(&out, hosts); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 4 {
		t.Errorf("got %d lines, want 4: %q", got, out.String())
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' }); i >= 0 {
		t.Errorf("%q has a control character at %d", out.String(), i)
	}
}
