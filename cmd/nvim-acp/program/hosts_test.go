package program

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

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

// Who stops a host hears whether it has ended, and not only that it was told to (behaviour 429).
func TestEndIsAwaited(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "acp") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, ends := range []bool{false, true} {
		var l *attach.Listener
		ready := make(chan struct{})
		l, err := attach.Listen("", "", func(conn net.Conn, _ int) {
			<-ready
			g, err := attach.NewGuest(conn, conn, conn)
			if err == nil {
				err = g.RegisterHandler(attach.StopVerb, func() error { return nil })
			}
			if err != nil {
				t.Error(err)
				return
			}
			_ = g.Serve()
			if ends {
				l.Close()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		close(ready)
		most := map[bool]time.Duration{false: 20 * time.Millisecond, true: 20 * time.Second}[ends]
		if err := end(attach.About{PID: os.Getpid(), Path: l.Path()}, most); (err == nil) != ends {
			t.Errorf("it ends: %v, and the answer is %v", ends, err)
		}
		l.Close()
		l.Forget()
	}
}
