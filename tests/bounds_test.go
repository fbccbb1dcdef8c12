package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// many returns a text n times, with numbers for %d.
func many(n int, text string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(text, "%d", fmt.Sprint(i))
	}
	return strings.Join(list, ",")
}

// Lists, forms and errors of any size come to Neovim within bounds, which say so when they are reached (behaviours 705, 832).
func TestBounds(t *testing.T) {
	t.Parallel()
	const n = 100_000
	fields := `"type": "object", "properties": {` + many(150, `"f%d": {"type": "string", "title": "field %d"}`) + `}`
	s, run := scripted(t, `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": {}}}}
allow session/list {"sessions": [`+many(n, `{"sessionId": "s%d", "cwd": "/", "title": "title %d"}`)+`]}
< session/new
> {"sessionId": "s", "configOptions": [{"type": "select", "id": "o", "name": "Option", "category": "model", "currentValue": "a",
  "options": [`+many(n, `{"value": "v%d", "name": "name %d"}`)+`]},
  `+many(50, `{"type": "boolean", "id": "b%d", "name": "b%d", "currentValue": false}`)+`]}
< session/prompt
> session/update {"sessionId": "s", "update": {"sessionUpdate": "available_commands_update",
  "availableCommands": [`+many(n, `{"name": "c%d", "description": "does %d"}`)+`]}}
> error {"code": -32603, "message": "`+strings.Repeat("it went wrong ", 90_000)+`"}
< session/prompt
> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "do", "kind": "other"}, "options": [`+
		many(3000, `{"optionId": "o%d", "name": "n%d", "kind": "allow_always"}`)+`]}
`+strings.Repeat(`> request elicitation/create {"sessionId": "s", "mode": "form", "message": "fill in", "requestedSchema": {`+fields+"}}\n", 30)+`hang
`)
	run(`told, shown = {}, {}
		vim.notify = function(text) table.insert(told, text) end
		vim.ui.select = function(items, opts) shown = { opts.prompt, #items } end
		acp = require("nvim-acp") acp.chat() acp.prompt("one")
		function text() return table.concat(vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false), "\n") end`)
	wait := func(expr string) {
		t.Helper()
		if err := s.editor.wait(expr); err != nil {
			t.Fatal(err)
		}
	}
	wait(`acp.status().state == "idle" and text():find("it went wrong", 1, true) ~= nil`)
	for _, tt := range []struct{ what, code, want string }{
		{"commands", `#require("nvim-acp.state").current().commands`, "500"},
		{"what is said of them", `text():find("the agent has 2000 or more commands: the first 500 are offered", 1, true) ~= nil`, "true"},
		{"choices", `#require("nvim-acp.state").current().options[1].choices`, "500"},
		{"the error", `#(require("nvim-acp.state").current().error) < 20000`, "true"},
		{"messages", `vim.iter(told):any(function(m) return #m > 2000 end)`, "false"},
	} {
		if got := run(tt.code); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.what, got, tt.want)
		}
	}
	run(`vim.cmd("AcpModel")`)
	if got := run(`shown[1] .. " " .. shown[2]`); got != "Option (1500 or more choices are left out) 500" {
		t.Errorf("the choice is %s", got)
	}
	run(`vim.cmd("AcpSessions")`)
	wait(`tostring(shown[1]):find("^Sessions") ~= nil and vim.iter(told):any(function(m) return m:find("lists 2000 sessions or more at once") ~= nil end)`)
	if got := run(`shown[2] <= 2001`); got != "true" {
		t.Errorf("%s sessions", run(`shown[2]`))
	}
	run(`acp.prompt("two")`)
	wait(`#require("nvim-acp.state").current().permissions == 30 and acp.status().pending > 30`)
	if got := run(`#require("nvim-acp.state").current().permissions[2].form.fields`); got != "101" {
		t.Errorf("the form has %s fields", got)
	}
	for _, tt := range []struct{ what, want string }{
		{"the answers of a request", "the agent has 2000 or more answers to a request: the first 100 are offered"},
		{"the options", "the agent has 51 options: the first 50 are offered"},
		{"a list in an answer", "the agent has sent a list of 2000 entries or more: what is beyond is left out"},
	} {
		if err := s.editor.wait(`text():find("` + tt.want + `", 1, true) ~= nil`); err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
}

// A pipe with nobody at its other end, in any place where Lua reads a file, holds nothing (behaviour 702).
func TestPipes(t *testing.T) {
	t.Parallel()
	s, run := scripted(t, "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n")
	project := filepath.Dir(s.agent)
	dir := filepath.Join(project, "nvim", "nvim-acp")
	for _, path := range []string{
		filepath.Join(dir, "sessions", "x.jsonl"), filepath.Join(dir, "hosts", "1-a"), filepath.Join(dir, "trust.json"), filepath.Join(dir, "agent"),
		filepath.Join(dir, "rules.json"), filepath.Join(dir, "restart.json"), filepath.Join(project, ".mcp.json"), filepath.Join(project, ".nvim-acp.json"),
		filepath.Join(project, "pipe.go"),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(`told = {}
		vim.notify = function(text) table.insert(told, text) end
		local history = ("%s/nvim-acp/history/%s.jsonl"):format(vim.fn.stdpath("state"), vim.fn.sha256(vim.fn.getcwd()):sub(1, 16))
		vim.fn.mkdir(vim.fs.dirname(history), "p")
		vim.fn.system({ "mkfifo", history })
		acp = require("nvim-acp") acp.chat() acp.prompt("one")
		vim.cmd("AcpTrust")
		require("nvim-acp.sessions.records").find("nothing")
		require("nvim-acp.prompt.history").list(require("nvim-acp.state").current())
		require("nvim-acp.files.buffer").go(vim.fn.getcwd() .. "/pipe.go")
		require("nvim-acp.files.beside").show(vim.fn.getcwd() .. "/pipe.go", 1)`)
	if err := s.editor.wait(`vim.iter(told):any(function(m) return m:find("not a regular file") ~= nil end)`); err != nil {
		t.Error(err, run(`vim.inspect(told)`))
	}
	if got := run(`vim.fn.bufloaded(vim.fn.getcwd() .. "/pipe.go")`); got != "0" {
		t.Error("the pipe was loaded")
	}
}
