package host

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// fakeEditor takes what terminals are fed, a text for each buffer, and nothing else.
type fakeEditor struct {
	mu   sync.Mutex
	fed  map[int]string
	gone map[int]bool // buffers that are no more
}

func (e *fakeEditor) ExecLua(code string, result any, args ...any) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if code == luaFeed {
		buf := args[1].(int)
		e.fed[buf] += args[2].(string)
		*result.(*bool) = !e.gone[buf]
	}
	return nil
}

func (e *fakeEditor) text(buf int) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fed[buf]
}

// hosted is a session with an agent that has said nothing yet.
func hosted(t *testing.T) (*agent, *Session, *fakeEditor) {
	t.Helper()
	ed := &fakeEditor{fed: map[int]string{}, gone: map[int]bool{}}
	h := newHost(ed, "test", os.DevNull)
	h.settings.Terminal.Tail = 10
	a := &agent{host: h, log: acp.NewLog(0), sessions: map[string]*Session{}}
	s := newSession(h, openArgs{Session: "local", Cwd: t.TempDir()})
	s.agent, a.sessions["s"] = a, s
	go h.recorder.loop() // until close
	t.Cleanup(h.close)
	return a, s, ed
}

// eventually polls until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (s *Session) update1(t *testing.T, text string) {
	t.Helper()
	var n acp.SessionNotification
	if err := acp.Unmarshal([]byte(`{"sessionId":"s","update":`+text+`}`), &n); err != nil {
		t.Fatal(err)
	}
	s.update(n.Update)
}

// After 500 commands no goroutine of theirs is left, and only the last of them keep all their output.
func TestCommandsLeaveNothing(t *testing.T) {
	a, s, _ := hosted(t)
	before := runtime.NumGoroutine()
	ctx := t.Context()
	var terms []*term
	for i := range 500 {
		created, err := s.createTerminal(&acp.CreateTerminalRequest{SessionID: "s", Command: fmt.Sprintf("printf %d", i)})(ctx)
		if err != nil {
			t.Fatal(err)
		}
		id := created.TerminalID
		if _, err := a.waitForTerminalExit(&acp.WaitForTerminalExitRequest{SessionID: "s", TerminalID: id})(ctx); err != nil {
			t.Fatal(err)
		}
		out, err := a.terminalOutput(&acp.TerminalOutputRequest{SessionID: "s", TerminalID: id})(ctx)
		if err != nil || out.Output != fmt.Sprint(i) {
			t.Fatalf("got %+v, %v, want %d", out, err, i)
		}
		a.host.mu.Lock()
		terms = append(terms, a.host.terms[id])
		a.host.mu.Unlock()
		if _, err := a.releaseTerminal(&acp.ReleaseTerminalRequest{SessionID: "s", TerminalID: id})(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, term := range terms {
		<-term.Done()
	}
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+1 })
	if got := len(a.host.released); got > mostKept {
		t.Errorf("%d terminals keep their output, want %d at most", got, mostKept)
	}
	s.closeTerms()
	if got := len(a.host.terms); got != 0 {
		t.Errorf("%d terminals are known after the end of their session", got)
	}
}

// A command that was started for an agent that is gone meanwhile does not run on.
func TestCommandOfAnAgentThatIsGone(t *testing.T) {
	a, s, _ := hosted(t)
	answer := s.createTerminal(&acp.CreateTerminalRequest{SessionID: "s", Command: "sleep 1000"})
	s.agent = nil
	created, err := answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a.host.mu.Lock()
	term := a.host.terms[created.TerminalID]
	a.host.mu.Unlock()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if exit, err := term.Wait(ctx); err != nil || exit.Signal != "SIGTERM" {
		t.Errorf("got %v, %v, want SIGTERM", exit, err)
	}
}

// In whatever order an agent tells of a display terminal, the same is shown; told again after a load, it is shown once
// (behaviours 92, 134).
func TestDisplayInAnyOrder(t *testing.T) {
	parts := []string{
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","content":[{"type":"terminal","terminalId":"x"}],"_meta":{"terminal_info":{"terminal_id":"x"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"terminal_id":"x","data":"one\ntwo"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_exit":{"terminal_id":"x","exit_code":3,"signal":null}}}`,
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		_, s, _ := hosted(t)
		for range 2 {
			s.change(func() { s.log = s.newLog() })
			for _, i := range order {
				s.update1(t, parts[i])
			}
			s.mu.Lock()
			got, ok := s.command("x")
			s.mu.Unlock()
			if text := strings.Join(got.Tail, "|"); !ok || text != "one|two" || got.Exit != "exit 3" || got.Running {
				t.Errorf("%v: got %q, %+v", order, text, got)
			}
		}
	}
}

// A buffer is fed while a window shows it, goes on where it was when one shows it again, and a new one gets all.
func TestFeed(t *testing.T) {
	_, s, ed := hosted(t)
	show := &term{Terminal: terminal.NewDisplay(terminal.Options{}), id: "x", name: "x", display: true}
	s.addTerm(show)
	feeding := func() bool {
		show.mu.Lock()
		defer show.mu.Unlock()
		return show.feeding
	}
	show.Feed([]byte("one "))
	show.watch(1, true)
	eventually(t, "the past is fed", func() bool { return ed.text(1) == "one " })
	show.watch(1, false)
	show.Feed([]byte("two "))
	show.watch(1, true)
	eventually(t, "what was missed is fed", func() bool { return ed.text(1) == "one two " })
	show.watch(2, true)
	eventually(t, "another buffer gets all", func() bool { return ed.text(2) == "one two " })
	ed.mu.Lock()
	ed.gone[2] = true
	ed.mu.Unlock()
	show.Feed([]byte("three "))
	eventually(t, "no buffer, no feed", func() bool { return !feeding() })
	show.watch(3, true)
	eventually(t, "and again", func() bool { return ed.text(3) == "one two three " })
	if got := ed.text(1); got != "one two " {
		t.Errorf("the first buffer got %q", got)
	}
	show.drop()
	eventually(t, "forgotten", func() bool { return !feeding() })
}
