package tests

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"unicode/utf8"
)

// press is a step of a task: keys that count, a text or keys that do not, or what is waited for.
type press struct {
	keys  string // that count
	text  string // that is typed, as the words of a prompt
	until string // an expression of Lua
}

// TestKeys does what one does all day, with the keys that the README suggests and no others, and counts them (behaviours 920, 1422).
func TestKeys(t *testing.T) {
	t.Parallel()
	const (
		changes = `> request fs/write_text_file {"sessionId": "s", "path": "$CWD/a.txt", "content": "ONE\ntwo\nthree\nFOUR\n"}
< {}
`
		says     = `> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Because."}}}` + "\n"
		ends     = `> {"stopReason": "end_turn"}` + "\n"
		prompted = "< session/prompt\n"
		begins   = "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n"
		models   = `{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "CURRENT", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}`
		colours  = `{"type": "object", "required": ["c"], "properties": {"c": {"type": "string", "title": "Colour", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}}}`
	)
	model := func(current string) string {
		return `"configOptions": [` + regexp.MustCompile("CURRENT").ReplaceAllString(models, current) + `]`
	}
	changed := begins + prompted + changes + ends
	idle := `(function() local s = require("nvim-acp").status() return s and s.state == "idle" end)()`
	marked := `#require("nvim-acp.review.marks").of(0) == 2`
	settled := `(function() local f = require("nvim-acp.permission.float") return f.open() and vim.uv.now() - f.changed > 310 end)()`
	prompt := `require("nvim-acp").prompt("go")`
	shown := `(function() local s = require("nvim-acp").status() local w = vim.fn.win_findbuf(s.bufnr or -1)
		return #w > 0 and table.concat(vim.api.nvim_buf_get_lines(s.bufnr, 0, -1, false), "\n"):find("Because.", 1, true) ~= nil end)()`
	menu := `vim.bo.filetype == "acp-menu"`

	for _, task := range []struct {
		name   string
		most   int    // keys
		agent  string // what it plays
		before string // Lua
		ready  string // an expression that is true then
		press  []press
		want   string // an expression that is true after
	}{
		{
			name: "keep a hunk", most: 2, agent: changed, before: prompt, ready: marked,
			press: []press{{text: "gg"}, {keys: "dp"}},
			want:  `require("nvim-acp.review").count() == 1 and vim.fn.getline(1) == "ONE"`,
		},
		{
			name: "revert a hunk", most: 2, agent: changed, before: prompt, ready: marked,
			press: []press{{text: "gg"}, {keys: "do"}},
			want:  `require("nvim-acp.review").count() == 1 and vim.fn.getline(1) == "one" and vim.fn.readfile("a.txt")[1] == "one"`,
		},
		{
			name: "next hunk", most: 2, agent: changed, before: prompt, ready: marked,
			press: []press{{text: "gg"}, {keys: "]h"}},
			want:  `vim.fn.line(".") == 4`,
		},
		{
			name: "undo the last turn", most: 3, agent: changed, before: prompt, ready: marked + " and " + idle,
			press: []press{{keys: "<Leader>u"}, {until: `vim.api.nvim_win_get_config(0).relative ~= ""`}, {keys: "<CR>"}},
			want:  `vim.fn.getline(1) == "one" and vim.fn.getline(4) == "four" and require("nvim-acp.review").count() == 0`,
		},
		{
			name: "open the last session but this from the list", most: 3,
			agent: "< initialize\n> {\"protocolVersion\": 1}\nany < session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n" + says + ends + "any < session/new\n> {\"sessionId\": \"u\"}\n< session/prompt\n" + ends,
			before: `local acp = require("nvim-acp") first = acp.prompt("go") vim.wait(5000, function() return acp.status().state == "idle" end)
				local now = os.time() vim.wait(3000, function() return os.time() > now + 1 end) -- the list knows seconds
				acp.chat({ new = true }) acp.prompt("more")`,
			ready: `#require("nvim-acp").sessions() == 2 and ` + idle,
			press: []press{{keys: "<Leader>o"}, {until: menu}, {keys: "<CR>"}},
			want:  `require("nvim-acp").status().session == first and ` + shown,
		},
		{
			name: "open the next session from the chat", most: 2,
			agent: "< initialize\n> {\"protocolVersion\": 1}\nany < session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n" + says + ends + "any < session/new\n> {\"sessionId\": \"u\"}\n< session/prompt\n" + ends,
			before: `local acp = require("nvim-acp") first = acp.prompt("go") vim.wait(5000, function() return acp.status().state == "idle" end)
				acp.chat({ new = true }) acp.prompt("more") vim.cmd("stopinsert")`,
			ready: `#require("nvim-acp").sessions() == 2 and vim.bo.filetype == "acp-prompt" and ` + idle,
			press: []press{{keys: "]s"}},
			want:  `require("nvim-acp").status().session == first and ` + shown,
		},
		{
			name: "ask about a selection and read the answer", most: 4, agent: begins + prompted + says + ends, ready: "true",
			press: []press{{text: "ggVj"}, {keys: "<Leader>s"}, {until: `vim.api.nvim_win_get_config(0).relative ~= "" and vim.fn.mode() == "i"`}, {text: "why?"}, {keys: "<CR>"}},
			want:  shown + ` and vim.fn.expand("%:t") == "a.txt" and vim.fn.mode() == "n"`,
		},
		{
			name: "resume", most: 3,
			agent:  "< initialize\n> {\"protocolVersion\": 1, \"agentCapabilities\": {\"sessionCapabilities\": {\"resume\": {}, \"close\": {}}}}\n< session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n" + says + ends + "< session/close\n> {}\n< session/resume\n> {}\n",
			before: `local acp = require("nvim-acp") acp.prompt("go") vim.wait(5000, function() return acp.status().state == "idle" end) acp.close()`,
			ready:  `#require("nvim-acp").sessions() == 0`,
			press:  []press{{keys: "<Leader>o"}, {until: menu}, {keys: "<CR>"}},
			want:   idle + " and " + shown,
		},
		{
			name: "another model", most: 4,
			agent:  "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\", " + model("small") + "}\n< session/set_config_option {\"value\": \"large\"}\n> {" + model("large") + "}\n",
			before: `require("nvim-acp").chat({ focus = false })`, ready: `(require("nvim-acp").status() or {}).model == "small"`,
			press: []press{{keys: "<Leader>m"}, {until: menu}, {keys: "j<CR>"}},
			want:  `require("nvim-acp").status().model == "large" and vim.fn.expand("%:t") == "a.txt"`,
		},
		{
			name: "answer a question with choices", most: 2,
			agent:  begins + prompted + `> request elicitation/create {"sessionId": "s", "mode": "form", "message": "Which?", "requestedSchema": ` + colours + "}\n< {\"action\": \"accept\", \"content\": {\"c\": \"g\"}}\n" + ends,
			before: `require("nvim-acp").chat() vim.cmd("stopinsert") ` + prompt, ready: settled,
			press: []press{{keys: "<C-g>2"}},
			want:  idle,
		},
		{
			name: "allow from the code", most: 3,
			agent:  begins + prompted + `> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", "kind": "execute", "title": "t", "rawInput": {"command": "ls"}}, "options": [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]}` + "\n< {\"outcome\": {\"outcome\": \"selected\", \"optionId\": \"y\"}}\n" + ends,
			before: `require("nvim-acp").chat({ focus = false }) ` + prompt, ready: settled,
			press: []press{{keys: "<Leader>pa"}},
			want:  idle + ` and vim.fn.expand("%:t") == "a.txt"`,
		},
		{
			name: "open and type and send", most: 3, agent: begins + prompted + says + ends,
			before: `require("nvim-acp.prompt.typing").note(true)`, ready: "true",
			press: []press{{keys: "<Leader>a"}, {until: `vim.bo.filetype == "acp-prompt" and vim.fn.mode() == "i"`}, {text: "why?"}, {keys: "<C-s>"}},
			want:  shown,
		},
	} {
		t.Run(task.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"agent": task.agent, "a.txt": "one\ntwo\nthree\nfour\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := agentEditor(t, dir, agentProgram(), "agent", "--script", filepath.Join(dir, "agent"))
			do := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%v\n%s", err, e.scene())
				}
			}
			_, err := e.lua(suggested(t) + ` vim.cmd("edit a.txt") ` + cmp.Or(task.before, ""))
			do(err)
			do(e.wait(task.ready))
			n := 0
			for _, p := range task.press {
				if p.until != "" {
					do(e.wait(p.until))
					continue
				}
				n += count(p.keys)
				_, err := e.Input(leader.ReplaceAllString(p.keys+p.text, `\`))
				do(err)
			}
			do(e.wait(task.want))
			t.Logf("%d keys", n)
			if n > task.most {
				t.Errorf("%d keys, want %d at most", n, task.most)
			}
		})
	}
}

var (
	leader = regexp.MustCompile("<Leader>")
	named  = regexp.MustCompile("<[^<> ]+>")
)

// count returns how many keys there are.
func count(keys string) int { return utf8.RuneCountInString(named.ReplaceAllString(keys, "x")) }

// suggested returns Lua that sets the mappings of the README.
func suggested(t *testing.T) (code string) {
	t.Helper()
	maps := find(t, "README.md", `(?m)^    (\{ "<Leader>.*\}),$`)
	for _, m := range maps {
		code += "local m = " + m + ` vim.keymap.set(m.mode or "n", m[1], m[2], { desc = m.desc }) `
	}
	return code
}
