package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/record"
)

// chatterer streams until it is killed.
const chatterer = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}}
any < session/new
> {"sessionId": "s"}
< session/prompt
repeat 100000
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "word $i, and what goes with it\n"}}}
pause 1ms
end
`

// scripted starts a Neovim with an agent that plays a script, and what runs Lua in it.
func scripted(t *testing.T, script string) (*story, func(code string, args ...any) string) {
	t.Helper()
	dir := t.TempDir()
	s := &story{root: plugin(t), agent: filepath.Join(dir, "script")}
	s.mark = "NVIM_ACP_STORY=" + filepath.Base(filepath.Dir(dir)) + filepath.Base(dir)
	if err := os.WriteFile(s.agent, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.killDetached)
	run := s.another(t, runDir(t))
	return s, run
}

// runDir makes a folder for sockets, whose paths must be short, or for what is killed, which may write a little more while the test ends.
func runDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "acp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// another starts a Neovim for the agent of a story, with a folder for sockets, and returns a function that runs Lua in it.
func (s *story) another(t *testing.T, sockets string) func(code string, args ...any) string {
	t.Helper()
	dir := filepath.Dir(s.agent)
	env := append(cleanEnv(), s.mark, "XDG_STATE_HOME="+dir, "XDG_RUNTIME_DIR="+sockets, "GORACE=atexit_sleep_ms=0")
	e, err := startEditor(s.root, dir, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	s.editor = e
	run := func(code string, args ...any) string {
		t.Helper()
		out, err := e.lua(code, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	run(`local bin, script = ...
		require("nvim-acp").setup({ agent = "a", agents = { a = { command = bin, args = { "agent", "--script", script } } } })`,
		agentProgram(), s.agent)
	return run
}

var recordKills = flag.Int("record.kills", 20, "how often TestRecordSurvives kills the host")

// The host is killed at random moments: the record always loads, and each prompt is in it or back in the prompt buffer
// (behaviours 217, 218).
func TestRecordSurvives(t *testing.T) {
	t.Parallel()
	s, run := scripted(t, chatterer)
	e := s.editor
	run(`require("nvim-acp").chat()`)
	id := run(`require("nvim-acp").status().session`)
	for i := range *recordKills {
		question := fmt.Sprintf("question %d?", i)
		run(`require("nvim-acp").prompt(...)`, question)
		<-time.After(time.Duration(rand.IntN(25)) * time.Millisecond) // any moment
		_ = syscall.Kill(s.host(t), syscall.SIGKILL)
		if err := e.wait(`require("nvim-acp").status().state == "disconnected"`); err != nil {
			t.Fatal(err)
		}
		prompt := run(`local s = require("nvim-acp.state").current()
			local buf = require("nvim-acp.prompt").ensure(s)
			local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
			vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
			return text`)
		rec, err := record.Load(filepath.Join(filepath.Dir(s.agent), "nvim", "nvim-acp", "sessions"), id)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		recorded := false
		for _, entry := range rec.Entries {
			recorded = recorded || entry.Role == record.User && entry.Text == question
		}
		if !recorded && !strings.Contains(prompt, question) {
			t.Fatalf("%q is neither recorded nor back in the prompt, which has %q", question, prompt)
		}
	}
}
