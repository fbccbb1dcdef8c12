package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crashes are agents, each of which is killed when it has made the file "here".
var crashes = []struct {
	name   string
	script string
	load   bool   // the session is one of before
	kept   string // is in the transcript after the crash
}{
	{name: "spawn", script: "write here \"\"\nhang\n"},
	{name: "initialize", script: "< initialize\nwrite here \"\"\nhang\n"},
	{name: "new", script: begin + "< session/new\nwrite here \"\"\nhang\n"},
	{name: "load", load: true, script: begin + `< session/load
> session/update {"sessionId": "old", "update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "half of it"}}}
write here ""
hang
`},
	{name: "prompt", script: prompted + half + "write here \"\"\nhang\n", kept: "half an answer"},
	{name: "permission", script: prompted + half + `> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", "kind": "execute", "title": "t", "rawInput": {"command": "ls"}}, "options": [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]}
write here ""
hang
`, kept: "half an answer"},
	{name: "terminal", script: prompted + half + `> request terminal/create {"sessionId": "s", "command": "trap '' HUP; sleep 1000"}
< {"terminalId": "$t"}
write here ""
hang
`, kept: "half an answer"},
	{name: "write", script: prompted + half + `repeat 200
> request fs/write_text_file {"sessionId": "s", "path": "$CWD/f.txt", "content": "the agent's $i\nend\n"}
end
write here ""
hang
`, kept: "half an answer"},
}

const (
	begin    = "< initialize\n" + `> {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}` + "\n"
	prompted = begin + "< session/new\n" + `> {"sessionId": "s"}` + "\n< session/prompt\n"
	half     = `> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "half an answer"}}}` + "\n"

	// The agents that are started after the crash.
	anew  = begin + "< session/new\n" + `> {"sessionId": "s2"}` + "\n< session/prompt\n" + `> {"stopReason": "end_turn"}` + "\n"
	again = begin + "< session/load\n> {}\n< session/prompt\n" + `> {"stopReason": "end_turn"}` + "\n"
)

// An agent is killed at each step: nothing hangs or runs on, no text is lost, and the next prompt is answered
// (behaviours 6, 7).
func TestCrashMatrix(t *testing.T) {
	for _, crash := range crashes {
		t.Run(crash.name, func(t *testing.T) {
			t.Parallel()
			s, run := scripted(t, crash.script)
			dir := filepath.Dir(s.agent)
			file := filepath.Join(dir, "f.txt")
			if err := os.WriteFile(file, []byte("first\nend\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			wait := func(expr string) {
				t.Helper()
				if err := s.editor.wait(expr); err != nil {
					t.Fatal(err)
				}
			}
			run(`vim.cmd.edit(...) vim.api.nvim_buf_set_lines(0, -1, -1, false, { "mine, not saved" }) file = vim.api.nvim_get_current_buf()`, file)
			opts := "{ focus = false }"
			if crash.load {
				opts = `{ session = "old", agent = "a", focus = false }`
			}
			run(`acp = require("nvim-acp") id = acp.chat(` + opts + `)`)
			run(`acp.prompt("the prompt", { session = id }) vim.cmd("AcpExport heard.md")`)
			wait(`vim.uv.fs_stat("here")`)
			wait(`vim.uv.fs_stat("heard.md")`) // and the host has heard of the prompt
			next := anew
			if crash.load || crash.kept != "" {
				next = again
			}
			if err := os.WriteFile(s.agent, []byte(next), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := s.sigkill(nil, []string{"agent"}); err != nil {
				t.Fatal(err)
			}
			wait(`acp.status({ session = id }).state == "disconnected"`)
			if err := s.gone(nil, []string{"nvim", "host", "guard"}); err != nil {
				t.Error(err)
			}
			wait(`table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp.prompt").ensure(require("nvim-acp.state").sessions[id]), 0, -1, false)) == "the prompt"`)
			wait(`(function() local st = acp.status({ session = id }) return st.pending + #st.queue == 0 end)()`)
			if text := run(`table.concat(vim.api.nvim_buf_get_lines(file, 0, -1, false), "\n")`); !strings.Contains(text, "mine, not saved") || !strings.Contains(text, "end") {
				t.Errorf("the user's text is gone:\n%s", text)
			}
			shown := run(`table.concat(vim.api.nvim_buf_get_lines(acp.status({ session = id }).bufnr, 0, -1, false), "\n")`)
			if !strings.Contains(shown, crash.kept) || strings.Contains(shown, "half of it") {
				t.Errorf("the transcript has\n%s", shown)
			}
			run(`acp.prompt("the next prompt", { session = id })`)
			wait(`acp.status({ session = id }).state == "idle"`)
			wait(`table.concat(vim.api.nvim_buf_get_lines(acp.status({ session = id }).bufnr, 0, -1, false)):match("the next prompt")`)
		})
	}
}
