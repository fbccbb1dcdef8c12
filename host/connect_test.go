package host

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// httpTools opens a session whose agent is given the editor's tools over HTTP, again with each start.
func httpTools(t *testing.T) (s *Session, offered func() (url, header string)) {
	t.Helper()
	h := newHost(new(notedEditor), "test", os.Args[0])
	t.Cleanup(h.close)
	go h.records.Run() // until close
	go h.render.Run()  // until close
	spec := scripted(t, `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": true}}}
< session/new {"mcpServers": [{"type": "http", "url": "$url", "headers": [{"value": "$token"}]}]}
write offered "$url\n$token"
> {"sessionId": "s"}
`)
	spec.Quirks = map[string]any{"refuses_stdio": true}
	cwd := t.TempDir()
	h.open(openArgs{Target: feature.Target{Session: "s"}, Cwd: cwd, Agent: spec})
	s = h.session("s")
	until(t, "it is idle", func() bool { return s.is(session.Idle) })
	return s, func() (url, header string) {
		text, err := os.ReadFile(filepath.Join(cwd, "offered"))
		if err != nil {
			t.Fatal(err)
		}
		url, header, _ = strings.Cut(string(text), "\n")
		return url, header
	}
}

// served returns the status of the answer to what is no message of a client's.
func served(t *testing.T, url, header string) int {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", header)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// A handshake with an agent that the session has let go of gives it nothing, and takes nothing from the one that it has now
// (behaviour 1201).
func TestLateHandshake(t *testing.T) {
	s, offered := httpTools(t)
	before, _ := s.connection()
	url, header := offered()
	if status := served(t, url, header); status == http.StatusUnauthorized {
		t.Errorf("the agent is refused: %d", status)
	}

	s.restart(nil)
	until(t, "it is idle again", func() bool { return s.is(session.Idle) })
	now, _ := s.connection()
	if now == nil || now == before {
		t.Fatal("it has the agent of before")
	}
	again, latter := offered()
	if status := served(t, again, header); status != http.StatusUnauthorized {
		t.Errorf("the token of the agent of before: %d", status)
	}

	for range 2 {
		if _, ok := (handshake{featured{s}, before}).give(true); ok {
			t.Error("the agent of before is given something")
		}
		if status := served(t, again, latter); status == http.StatusUnauthorized {
			t.Errorf("the agent of now is refused: %d", status)
		}
	}
	s.close()
	if _, ok := (handshake{featured{s}, now}).give(true); ok {
		t.Error("the agent of a closed session is given something")
	}

	s.host.agents.Rest("scripted")
	until(t, "the agent ends, since no session is being opened", now.Gone)
}

// A fault in what is said of a silent agent is the session's, and not the host's (behaviour 870).
func TestFaultOfHint(t *testing.T) {
	s, _ := httpTools(t)
	s.timers.hintAfter(s.after, 0, func(time.Duration) { panic("a fault") })
	until(t, "it is disconnected", func() bool { return s.is(session.Disconnected) })
}

// Nothing waits any more to say that an agent is silent once it has answered.
func TestHintIsStopped(t *testing.T) {
	s := new(Session)
	for _, e := range []session.Effects{{}, {LateReplay: session.LateReplay{Stop: true}}, {StopHint: true}} {
		s.timers.hint = time.AfterFunc(time.Hour, func() {})
		s.setTimers(e)
		if stopped := !s.timers.hint.Stop(); stopped != e.StopHint {
			t.Errorf("%+v: stopped: %v", e, stopped)
		}
	}
}
