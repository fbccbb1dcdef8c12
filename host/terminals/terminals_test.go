package terminals

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// fakeEditor keeps what terminals are fed, a text for each buffer.
type fakeEditor struct {
	mu   sync.Mutex
	fed  map[int]string
	gone map[int]bool // buffers that are no more
}

func newEditor() *fakeEditor { return &fakeEditor{fed: map[int]string{}, gone: map[int]bool{}} }

func (e *fakeEditor) ExecLua(code string, result any, args ...any) error {
	if code != luaFeed {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	buffer := args[1].(int)
	e.fed[buffer] += args[2].(string)
	*result.(*bool) = !e.gone[buffer]
	return nil
}

func (e *fakeEditor) text(buf int) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.fed[buf]
}

type session struct{ _ byte } // two of no size could be one

func (*session) LocalID() string        { return "local" }
func (*session) TerminalChanged(string) {}

type guardian struct{}

func (guardian) Add(int)    {}
func (guardian) Remove(int) {}

func wanted(on bool) Start {
	return Start{Run: "test", Watch: func() Watcher { return guardian{} }, Wanted: func() bool { return on }}
}

func newSet(t *testing.T) (*Set, *fakeEditor) {
	t.Helper()
	ed := newEditor()
	s := New(ed)
	t.Cleanup(s.Close)
	return s, ed
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

// An agent hears how a command has ended, by its status or by a signal and never by both, whether it waits or asks for the output.
func TestExitStatus(t *testing.T) {
	s, _ := newSet(t)
	owner, ctx := &session{}, t.Context()
	for _, tt := range []struct{ command, want string }{
		{"true", `{"exitCode":0,"signal":null}`}, {"exit 3", `{"exitCode":3,"signal":null}`}, {"kill -9 $$", `{"exitCode":null,"signal":"SIGKILL"}`},
	} {
		created, err := s.Create(owner, &acp.CreateTerminalRequest{Command: tt.command}, wanted(true))(ctx)
		if err != nil {
			t.Fatal(err)
		}
		exit, err := s.WaitForExit(owner, &acp.WaitForTerminalExitRequest{TerminalID: created.TerminalID})(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Output(owner, &acp.TerminalOutputRequest{TerminalID: created.TerminalID})(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []any{exit, out.ExitStatus} {
			if text, err := acp.Marshal(v); err != nil || string(text) != tt.want {
				t.Errorf("%s: got %s, %v, want %s", tt.command, text, err, tt.want)
			}
		}
	}
}

// After 500 commands no goroutine of theirs is left, and only the last of them keep all their output.
func TestCommandsLeaveNothing(t *testing.T) {
	s, _ := newSet(t)
	owner := &session{}
	before := runtime.NumGoroutine()
	ctx := t.Context()
	var terms []*Term
	for i := range 500 {
		created, err := s.Create(owner, &acp.CreateTerminalRequest{Command: fmt.Sprintf("printf %d", i)}, wanted(true))(ctx)
		if err != nil {
			t.Fatal(err)
		}
		id := created.TerminalID
		if _, err := s.WaitForExit(owner, &acp.WaitForTerminalExitRequest{TerminalID: id})(ctx); err != nil {
			t.Fatal(err)
		}
		out, err := s.Output(owner, &acp.TerminalOutputRequest{TerminalID: id})(ctx)
		if err != nil || out.Output != fmt.Sprint(i) {
			t.Fatalf("got %+v, %v, want %d", out, err, i)
		}
		terms = append(terms, s.Find(id))
		if _, err := s.ReleaseOne(owner, &acp.ReleaseTerminalRequest{TerminalID: id})(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, term := range terms {
		<-term.Done()
	}
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+1 })
	eventually(t, "only the last terminals keep all their output", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.whole) == maxWhole
	})
	s.Forget(owner)
	if got := len(s.terms); got != 0 {
		t.Errorf("%d terminals are known after the end of their session", got)
	}
}

// A command that was started for an agent that is gone meanwhile does not run on.
func TestCommandOfAnAgentThatIsGone(t *testing.T) {
	s, _ := newSet(t)
	answer := s.Create(&session{}, &acp.CreateTerminalRequest{Command: "sleep 1000"}, wanted(false))
	created, err := answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	term := s.Find(created.TerminalID)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if exit, err := term.Wait(ctx); err != nil || exit.Signal != "SIGTERM" {
		t.Errorf("got %v, %v, want SIGTERM", exit, err)
	}
}

// A buffer is fed while a window shows it, goes on where it was when one shows it again, and a new one gets all.
func TestFeed(t *testing.T) {
	s, ed := newSet(t)
	show := newTerm(s, &session{}, terminal.NewDisplay(terminal.Options{}), "x")
	show.display = true
	s.add(show)
	feeding := func() bool {
		show.mu.Lock()
		defer show.mu.Unlock()
		return show.feeding
	}
	show.Feed([]byte("one "))
	show.Watch(1, true)
	eventually(t, "the past is fed", func() bool { return ed.text(1) == "one " })
	show.Watch(1, false)
	show.Feed([]byte("two "))
	show.Watch(1, true)
	eventually(t, "what was missed is fed", func() bool { return ed.text(1) == "one two " })
	show.Watch(2, true)
	eventually(t, "another buffer gets all", func() bool { return ed.text(2) == "one two " })
	ed.mu.Lock()
	ed.gone[2] = true
	ed.mu.Unlock()
	show.Feed([]byte("three "))
	eventually(t, "no buffer, no feed", func() bool { return !feeding() })
	show.Watch(3, true)
	eventually(t, "and again", func() bool { return ed.text(3) == "one two three " })
	if got := ed.text(1); got != "one two " {
		t.Errorf("the first buffer got %q", got)
	}
	show.forget()
	eventually(t, "forgotten", func() bool { return !feeding() })
}

// However many commands print however much, and whether or not their terminals are released, a bounded part of it is kept; and only so many
// run at once.
func TestOutputIsBounded(t *testing.T) {
	s, _ := newSet(t)
	owner := &session{}
	ctx := t.Context()
	limit := uint64(8 << 20)
	create := func(command string) (string, error) {
		created, err := s.Create(owner, &acp.CreateTerminalRequest{Command: command, OutputByteLimit: &limit}, wanted(true))(ctx)
		if err != nil {
			return "", err
		}
		return created.TerminalID, nil
	}
	for range 8 {
		id, err := create("head -c 8000000 /dev/zero | tr '\\0' x | fold -w 1000")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.WaitForExit(owner, &acp.WaitForTerminalExitRequest{TerminalID: id})(ctx); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the oldest are cut", func() bool {
		total := 0
		for _, term := range s.all() {
			text, _, _ := term.Output()
			total += len(text)
		}
		return total <= maxWholeBytes+8*wholeEnd
	})
	var started atomic.Int32
	var all sync.WaitGroup
	for range maxRunning + 5 {
		all.Go(func() {
			if _, err := create("sleep 1000"); err == nil {
				started.Add(1)
			}
		})
	}
	all.Wait()
	if n := started.Load(); n != maxRunning {
		t.Errorf("%d commands run at once, want %d", n, maxRunning)
	}
	other := &session{}
	if _, err := s.Create(other, &acp.CreateTerminalRequest{Command: "true"}, wanted(true))(ctx); err != nil {
		t.Errorf("another session may run none: %v", err)
	}
	s.Forget(other)
	for n, term := range s.of(owner) { // one that is known to have ended makes room at once
		if _, exit := term.State(); exit != nil || n%4 > 0 {
			continue
		}
		term.Kill()
		if _, err := term.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := create("sleep 1000"); err != nil {
			t.Fatal(err)
		}
	}
	s.Forget(owner)
}

// A terminal of a command that the agent runs itself is none of those that are being started (behaviour 1396).
func TestDisplayIsNotStarted(t *testing.T) {
	s, _ := newSet(t)
	owner := &session{}
	s.Display(owner, story{}, "c", acp.Meta{"terminal_info": []byte(`{"terminal_id": "d"}`)})
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.terms) != 1 || len(s.starting) > 0 {
		t.Errorf("got %d terminals, being started: %v", len(s.terms), s.starting)
	}
}

// story is a transcript that knows no call.
type story struct{}

func (story) Call(string) *transcript.Call { return nil }
func (story) ShowTerminal(string, string)  {}

// A command that is killed, or whose terminal is released, is ended on the other side too (behaviour 1359).
func TestEndsThere(t *testing.T) {
	for name, end := range map[string]func(*Term){"kill": (*Term).Kill, "release": (*Term).release} {
		s, _ := newSet(t)
		term, ended := newTerm(s, &session{}, terminal.NewDisplay(terminal.Options{}), "x"), 0
		term.endThere = func() { ended++ }
		s.add(term)
		if end(term); ended != 1 {
			t.Errorf("%s: ended %d times there, want once", name, ended)
		}
	}
}

// Commands that are about to start count among those that run: an agent that asks for many at once gets no more than are allowed
// (behaviour 1365).
func TestManyStarting(t *testing.T) {
	s, _ := newSet(t)
	one := &session{}
	for range maxRunning {
		if !s.begin(one) {
			t.Fatal("too few are allowed")
		}
	}
	if s.begin(one) {
		t.Errorf("more than %d are allowed", maxRunning)
	}
}

// Commands that cannot be started do not count as ones that run.
func TestNotStarted(t *testing.T) {
	s, _ := newSet(t)
	owner := new(session)
	for i := range maxRunning + 1 {
		_, err := s.Create(owner, &acp.CreateTerminalRequest{Command: "/no/such/program"}, wanted(true))(t.Context())
		if err == nil || strings.Contains(err.Error(), "commands of this session run") {
			t.Fatalf("command %d: got %v", i+1, err)
		}
	}
}
