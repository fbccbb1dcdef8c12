package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asks are all kinds of requests, each with the agent's lines, what the float shows, and the answer to the key "a". SID is the id of
// the session.
var asks = []struct{ name, shows, lines string }{
	{"edit", `edit notes.txt`, `
> request session/request_permission {"sessionId": "SID", "toolCall": {"toolCallId": "e", "title": "Edit", "kind": "edit", "content": [{"type": "diff", "path": "$CWD/notes.txt", "oldText": "four\n", "newText": "FOUR\n"}]}, "options": OPTIONS}
< {"outcome": {"outcome": "selected", "optionId": "y"}}`},
	{"command", `make all`, `
> request session/request_permission {"sessionId": "SID", "toolCall": {"toolCallId": "c", "title": "Run", "kind": "execute", "rawInput": {"command": "make all"}}, "options": OPTIONS}
< {"outcome": {"outcome": "selected", "optionId": "y"}}`},
	{"plan", `the plan is this`, `
> session/update {"sessionId": "SID", "update": {"sessionUpdate": "tool_call", "toolCallId": "p", "title": "Ready to code?", "kind": "switch_mode", "status": "pending", "rawInput": {"plan": "# First\n\nthe plan is this"}, "content": [{"type": "content", "content": {"type": "text", "text": "# First\n\nthe plan is this"}}]}}
> request session/request_permission {"sessionId": "SID", "toolCall": {"toolCallId": "p", "title": "Ready to code?", "kind": "switch_mode", "rawInput": {}, "content": [], "locations": []}, "options": OPTIONS}
< {"outcome": {"outcome": "selected", "optionId": "y"}}`},
	{"question", `\.env`, `
> request fs/read_text_file {"sessionId": "SID", "path": "$CWD/.env"}
< {"content": "KEY=1\n"}`},
	{"form", `Which one`, `
> request elicitation/create {"sessionId": "SID", "mode": "form", "message": "Which one?", "requestedSchema": {"type": "object", "properties": {"a": {"type": "string", "title": "A"}}}}
< {"action": "accept"}`},
	{"page", `example\.org`, `
> request elicitation/create {"sessionId": "SID", "mode": "url", "message": "Log in", "elicitationId": "u", "url": "https://example.org/login"}
< {"action": "accept"}`},
}

// askers are all kinds of sessions, each with the words by which it comes to ask.
var askers = []struct{ name, words string }{
	{"chat", `lua 'require("nvim-acp").chat() require("nvim-acp").prompt("go")'`},
	{"hidden chat", `lua 'require("nvim-acp").prompt("go")'`},
	{"lines to edit", `lua 'require("nvim-acp").edit({ range = { 3, 5 }, instruction = "go" })'`},
	{"last line to edit", `lua 'require("nvim-acp").edit({ range = { 8, 8 }, instruction = "go" })'`},
	{"lines to explain", `lua 'vim.cmd("3,5AcpAsk go")'`},
	{"subagent", `lua 'require("nvim-acp").chat() require("nvim-acp").prompt("go")'`},
	{"attached again", `
lua 'require("nvim-acp").chat() require("nvim-acp").prompt("go")'
until 'require("nvim-acp").status().pending == 1'
lua 'vim.cmd("AcpDetach")'
until '#require("nvim-acp").sessions() == 0'
lua 'vim.cmd("AcpAttach")'
until '#require("nvim-acp").sessions() == 1 and require("nvim-acp").sessions()[1].pending == 1'`},
	{"taken over", `
lua 'require("nvim-acp").chat() require("nvim-acp").prompt("go")'
until 'require("nvim-acp").status().pending == 1'
lua 'vim.cmd("AcpDetach")'
until '#require("nvim-acp").sessions() == 0'
lua 'vim.cmd("AcpAttach")'
until '#require("nvim-acp").sessions() == 1 and require("nvim-acp").sessions()[1].pending == 1'
nvim notes.txt
ui COLUMNS ROWS
lua 'vim.ui.open = function() end vim.ui.select = function(items, opts, done) done(items[1], 1) end'
lua 'vim.cmd("AcpAttach")'
until '#require("nvim-acp").sessions() == 1 and require("nvim-acp").sessions()[1].pending == 1'`},
}

const askedOptions = `[{"optionId": "y", "name": "Allow it", "kind": "allow_once"}, {"optionId": "n", "name": "Do not", "kind": "reject_once"}]`

// Each kind of request of each kind of session is drawn whole, with its options or keys, and answered by a key (behaviours 660, 663).
func TestAsks(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []string{"80 24", "48 16"} {
		for _, asker := range askers {
			name := strings.ReplaceAll(asker.name+" "+size, " ", "_")
			if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(askStory(asker.name, asker.words, size)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := words(t)
	p.Dir = dir
	testscript.Run(t, p)
}

func askStory(name, begin, size string) string {
	columns, rows, _ := strings.Cut(size, " ")
	var story, agent strings.Builder
	fmt.Fprintf(&story, "agent asker\nnvim notes.txt\nui %s\nlua 'vim.ui.open = function() end'\n", size)
	story.WriteString(strings.NewReplacer("COLUMNS", columns, "ROWS", rows).Replace(begin) + "\n")
	id := "s"
	agent.WriteString("< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n")
	if name == "subagent" {
		id = "k"
		agent.WriteString(`> session/update {"sessionId": "s", "update": {"sessionUpdate": "subagent_update", "sessionId": "k", "title": "Look for it", "state": {"state": "running"}}}`)
	}
	for _, ask := range asks {
		agent.WriteString(strings.NewReplacer("SID", id, "OPTIONS", askedOptions).Replace(ask.lines))
		// It may have the focus: if nobody has typed for a second, or if it was there as the one before was answered.
		fmt.Fprintf(&story, "sees '(?s)╭.*%s.*╰'\n", ask.shows)
		story.WriteString("keys '<Esc>:AcpPermit<CR>'\nuntil 'vim.bo.filetype == \"acp-permission\"'\n")
		if ask.name != "form" && ask.name != "page" {
			story.WriteString("sees '(?m)^.*│  a  Allow.*│'\nsees '(?m)^.*│  r  (Do not|Refuse|Reject|Deny).*│'\n")
		}
		story.WriteString("until 'dofile(\"press.lua\")'\n")
	}
	if name == "subagent" {
		agent.WriteString("\n" + `> session/update {"sessionId": "s", "update": {"sessionUpdate": "subagent_update", "sessionId": "k", "state": {"state": "idle"}}}`)
	}
	agent.WriteString("\nwrite over \"\"\n> answer session/prompt {\"stopReason\": \"end_turn\"}\n")
	story.WriteString("appears over\nlua 'vim.v.errmsg .. vim.fn.execute(\"messages\")'\n! stdout 'E[0-9]+:|traceback'\n")
	// A key acts once none has come for a while: one that comes too soon is pressed again, as a user would.
	const press = `
-- press.lua --
local float = require("nvim-acp.permission.float")
Asked = Asked or float.id
if vim.bo.filetype ~= "acp-permission" or float.id ~= Asked then -- the next request may be there at once
  Asked = nil
  return true
end
if vim.uv.hrtime() - (Pressed or 0) > 5e8 and float.live() then
  Pressed = vim.uv.hrtime()
  vim.api.nvim_input("a")
end`
	return story.String() + press + "\n-- notes.txt --\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n-- .env --\nKEY=1\n-- asker --\n" + agent.String()
}
