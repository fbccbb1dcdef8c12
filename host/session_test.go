package host

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attaching"
	"github.com/nvim-acp/nvim-acp/host/drawing"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// notedEditor answers every call, and keeps what comes back to the user.
type notedEditor struct {
	mu   sync.Mutex // guards back
	back []attaching.Unsent
}

func (e *notedEditor) ExecLua(code string, result any, args ...any) error {
	for _, arg := range args {
		switch list := arg.(type) {
		case []drawing.Frame:
			for _, f := range list {
				(*result.(*map[string]string))[f.Session] = "ok"
			}
		case []attaching.Unsent:
			e.mu.Lock()
			e.back = append(e.back, list...)
			e.mu.Unlock()
		}
	}
	return nil
}

func (e *notedEditor) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.back)
}

// until waits for a condition, to a deadline.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("not in 10 s: %s", what)
		}
	}
}

// scripted is an agent that plays a script.
func scripted(t *testing.T, script string) agents.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return agents.Spec{Name: "scripted", Title: "scripted", Command: os.Args[0], Args: []string{"agent", file}}
}

func (s *Session) is(phase session.Phase) bool {
	is := ask(s, func(st *session.State) session.Summary {
		sum, _ := st.Summary()
		return sum
	})
	return is.State == string(phase)
}

// Prompts that come while the record of a session is still read wait for the start that is under way. When that fails they
// come back, and nothing is started for them once more.
func TestPromptsWhileRecalled(t *testing.T) {
	ed := new(notedEditor)
	h := newHost(ed, "test", os.DevNull)
	h.watch()
	before := runtime.NumGoroutine()
	args := openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir(), Agent: agents.Spec{Title: "none", Command: filepath.Join(t.TempDir(), "none")}}
	s := newSession(h, args)
	h.sessions["s"] = s
	recorded := newSession(h, args).kept.Close() // the disk is slow: what there was of the session before is not on it yet
	h.open(args)
	for range 50 {
		s.prompt(promptArgs{Text: "one of many"})
	}
	recorded(func() {})
	until(t, "all come back", func() bool { return ed.count() == 50 })
	until(t, "nobody is at it", func() bool { return runtime.NumGoroutine() <= before })
	tries := 0
	f, _ := h.render.Frame(featured{s}, drawing.FrameBudget)
	for _, e := range f.Events {
		if e.Name == "AcpError" {
			tries++
		}
	}
	if tries != 1 {
		t.Errorf("the agent was started %d times, want once", tries)
	}
}

// What was said in a session is not kept in memory when it is closed, whether its agent runs on or has ended.
func TestClosedSessionsGo(t *testing.T) {
	const begin = "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n"
	for _, tt := range []struct {
		name, script string
		gone         bool // the agent, before the session is closed
	}{
		{"its agent runs on", begin + "hang\n", false},
		{"its agent has ended", begin + "exit 1\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(new(notedEditor), "test", os.Args[0])
			t.Cleanup(h.close)
			go h.records.Run() // until close
			go h.render.Run()  // until close
			log := func() weak.Pointer[Session] {
				h.open(openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir(), Agent: scripted(t, tt.script)})
				s := h.session("s")
				if tt.gone {
					until(t, "it is disconnected", func() bool { return s.is(session.Disconnected) })
				} else {
					until(t, "it is idle", func() bool { return s.is(session.Idle) })
				}
				s.close()
				return weak.Make(s)
			}()
			until(t, "the session is gone", func() bool {
				runtime.GC()
				return log.Value() == nil
			})
			until(t, "an agent that has ended is forgotten", func() bool { return !tt.gone || len(h.agents.Running()) == 0 })
			if n := len(h.agents.All()); tt.gone && n > 0 {
				t.Errorf("%d agents are kept", n)
			}
		})
	}
}

// A session may be closed while its record is read.
func TestClosedWhileRecalled(t *testing.T) {
	h := newHost(new(notedEditor), "test", os.DevNull)
	t.Cleanup(h.close)
	go h.records.Run() // until close
	s := newSession(h, openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir()})
	if !ask(s, func(st *session.State) bool { return st.Link().Claim() }) {
		t.Fatal("somebody else starts it")
	}
	s.close()
	s.connect()
	if a, _ := s.connection(); a != nil {
		t.Error("it was started")
	}
}

// The record of a session that was closed before it was read is let go of: another Neovim, or this one, can have it.
func TestClosedLetsGo(t *testing.T) {
	h := newHost(new(notedEditor), "test", os.DevNull)
	t.Cleanup(h.close)
	var set settings.Settings
	set.StateDir, set.Record.Enabled, set.Record.MaxMB = t.TempDir(), true, 10
	h.given.Store(&set)
	go h.records.Run() // until close
	opened := func() (*record.File, error) { return record.Open(set.RecordDir(), "s") }
	file, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Append(record.Entry{Time: 1, ID: "1", Role: record.User, Text: "hello"}), file.Close()); err != nil {
		t.Fatal(err)
	}

	s := newSession(h, openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir()})
	s.close()
	s.connect() // of an opening that has just begun
	file, err = opened()
	if err != nil {
		t.Fatalf("nobody can have the record: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

// A session that is closed while its turn is being stopped is closed at its agent only when that knows of the stop.
func TestClosedWhileStopped(t *testing.T) {
	h := newHost(new(notedEditor), "test", os.Args[0])
	t.Cleanup(h.close)
	go h.records.Run() // until close
	go h.render.Run()  // until close
	h.open(openArgs{Target: feature.Target{Session: "s"}, Cwd: t.TempDir(), Agent: scripted(t, `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"close": {}}}}
< session/new
> {"sessionId": "s"}
< session/prompt
< session/cancel
> {"stopReason": "cancelled"}
< session/close
> {}
hang
`)})
	s := h.session("s")
	until(t, "it is idle", func() bool { return s.is(session.Idle) })
	s.prompt(promptArgs{ID: "1", Text: "hello"})
	until(t, "the turn has begun", func() bool {
		return ask(s, func(st *session.State) bool { return st.Turn() != nil && st.Turn().Sent() })
	})

	s.wire.Lock() // the agent cannot be told yet
	told := s.cancel()
	again := s.cancel()
	closed := s.close()
	for range 100 {
		runtime.Gosched() // whoever waits for nothing goes on
	}
	for name, done := range map[string]<-chan struct{}{"the stop": told, "the second stop": again, "the close": closed} {
		select {
		case <-done:
			t.Errorf("%s is done before the agent is told", name)
		default:
		}
	}
	s.wire.Unlock()
	<-told
	<-again
	<-closed
}
