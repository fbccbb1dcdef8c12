package host

import (
	"os"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// deafEditor is a Neovim that takes everything and answers nothing.
type deafEditor struct{}

func (deafEditor) ExecLua(string, any, ...any) error { return nil }

// hosted is a session with an agent that has said nothing yet.
func hosted(t *testing.T) *Session {
	t.Helper()
	h := newHost(deafEditor{}, "test", os.DevNull)
	set := settings.Settings{}
	set.Terminal.Tail = 10
	h.given.Store(&set)
	s := newSession(h, openArgs{Target: feature.Target{Session: "local"}, Cwd: t.TempDir()})
	s.do(func(st *session.State) { st.Connect(new(agents.Agent)) })
	go h.records.Run() // until close
	t.Cleanup(h.close)
	return s
}

func (s *Session) update1(t *testing.T, text string) {
	t.Helper()
	var n acp.SessionNotification
	if err := acp.Unmarshal([]byte(`{"sessionId":"s","update":`+text+`}`), &n); err != nil {
		t.Fatal(err)
	}
	s.Update(n.Update)
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
		s := hosted(t)
		for _, loaded := range []bool{false, true} {
			if loaded {
				s.do(func(st *session.State) { st.Replay().Load() })
			}
			for _, i := range order {
				s.update1(t, parts[i])
			}
			got, ok := s.host.terms.Command(s, "x", 10)
			if text := strings.Join(got.Tail, "|"); !ok || text != "one|two" || got.Exit != "exit 3" || got.Running {
				t.Errorf("%v: got %q, %+v", order, text, got)
			}
		}
	}
}
