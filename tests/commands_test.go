package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// runner is the script of an agent that runs a command n times, each to its end.
func runner(command string, n int) string {
	line, _ := json.Marshal(command) // a string can be marshalled
	return fmt.Sprintf(`
< initialize
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
< session/prompt
repeat %d
> request terminal/create {"sessionId": "s", "command": %s}
< {"terminalId": "$_"}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c$i", "title": "command $i", "kind": "execute", "content": [{"type": "terminal", "terminalId": "term-$i"}]}}
> request terminal/wait_for_exit {"sessionId": "s", "terminalId": "term-$i"}
< {}
> request terminal/release {"sessionId": "s", "terminalId": "term-$i"}
< {}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c$i", "status": "completed"}}
end
> answer session/prompt {"stopReason": "end_turn"}
`, n, line)
}

// commanded starts a Neovim with a screen and the chat open, whose agent plays a script when it is prompted.
func commanded(t testing.TB, script string) *story {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "agent")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(filepath.Dir(dir)) + strconv.Itoa(os.Getpid())
	s := &story{root: plugin(t), mark: "NVIM_ACP_STORY=" + name}
	env := append(cleanEnv(), "HOME="+filepath.Join(dir, "home"), "GORACE=atexit_sleep_ms=0", s.mark)
	for _, kind := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+kind+"_HOME="+filepath.Join(dir, kind))
	}
	e, err := startEditor(s.root, dir, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	s.editor = e
	if err := e.AttachUI(200, 50, map[string]any{"ext_linegrid": true, "rgb": true}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.lua(`
		local bin, script = ...
		require("nvim-acp").setup({ agent = "s", agents = { s = { command = bin, args = { "agent", "--script", script } } } })
		require("nvim-acp").chat()`, agentProgram(), file); err != nil {
		t.Fatal(err)
	}
	s.until1(t, "idle")
	return s
}

// until1 is the word until, for a test.
func (s *story) until1(t testing.TB, expr string) {
	t.Helper()
	if err := s.until(nil, []string{expr}); err != nil {
		t.Fatalf("%v\n%s", err, s.editor.scene())
	}
}

// host is the process of the host.
func (s *story) host(t testing.TB) int {
	t.Helper()
	var pids []int
	err := poll(patience, func() (_ bool, err error) { // a child of the host is a second one until it runs its program
		pids, err = s.find("host")
		return len(pids) == 1, err
	})
	if err != nil {
		t.Fatalf("got hosts %v, %v, want one", pids, err)
	}
	return pids[0]
}
