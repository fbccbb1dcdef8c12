package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// hiddenRunes are all characters that are shown as <202E>.
func hiddenRunes() (list []rune) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if plain.OneLine("a"+string(r)+"b") != "a"+string(r)+"b" && r != unicode.ReplacementChar && (r < 0xd800 || r > 0xdfff) {
			list = append(list, r)
		}
	}
	return list
}

// Go and Lua clean each character alike, also where the one before it matters (behaviour 220).
func TestCleanersAgree(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "")
	var b strings.Builder
	for _, r := range hiddenRunes() {
		fmt.Fprintf(&b, "a%cb\u65e5%c\u26a0%c%c", r, r, r, r)
	}
	b.WriteString("\x00\x01\x1b\x7f plain \u00e4\u65e5 e\u0301 \U0001f469\u200d\U0001f680 \u26a0\ufe0f \ufe0f1\ufe0f\u20e3 <202E>")
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := run(`local f = io.open(..., "rb") local text = f:read("*a") f:close() return require("nvim-acp.ui.text").visible(text)`, file)
	if want := plain.Visible(b.String()); got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("Lua and Go differ at %q and %q", got[max(i-20, 0):min(i+20, len(got))], want[max(i-20, 0):min(i+20, len(want))])
	}
}

// veiled has one of each range of characters that are not seen. In JSON, for an agent's script and the files of a project.
const veiled = "v\u200b\u200d\u202e\u2066\ufeff\u00ad\u3164\u115f\U000e0041\u034f\u2800\u0085\ufe00\u180e\u2028w"

// everywhere is an agent that says veiled in each place where text of its own is shown.
func everywhere(t *testing.T) string {
	t.Helper()
	quoted, err := json.Marshal(veiled)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(`< initialize
> {"protocolVersion": 1, "agentInfo": {"name": @V@, "title": @V@, "version": @V@}}
< session/new
> {"sessionId": "s", "modes": {"currentModeId": "m", "availableModes": [{"id": "m", "name": @V@, "description": @V@}]},
  "configOptions": [{"type": "select", "id": "o", "name": @V@, "description": @V@, "category": "model", "currentValue": "a", "options": [{"value": "a", "name": @V@, "description": @V@}]}]}
< session/prompt
> session/update {"sessionId": "s", "update": {"sessionUpdate": "session_info_update", "title": @V@}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": @V@, "description": @V@, "input": {"hint": @V@}}]}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "usage_update", "used": 400, "size": 1000, "cost": {"amount": 1, "currency": @V@}}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": [{"content": @V@, "status": "pending", "priority": "low"}]}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": @V@, "title": @V@}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "x", "title": @V@, "name": @V@, "kind": "edit", "status": "completed", "locations": [{"path": @V@}], "content": [{"type": "diff", "path": @V@, "newText": "x"}]}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "z", "title": @V@, "kind": "other", "status": @V@, "rawInput": {"command": @V@, @V@: @V@}, "_meta": {"terminal_info": {"terminal_id": @V@}}}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "name": @V@, "uri": @V@}}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": @V@}}}
> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", "kind": "execute", "title": @V@, "rawInput": {"command": @V@, "description": @V@}, "locations": [{"path": @V@}]}, "options": [{"optionId": "y", "name": @V@, "kind": "allow_once"}]}
write here ""
hang
`, "@V@", string(quoted))
}

// seen is all that Neovim shows anywhere, or was given to show.
const seen = `
	local all = vim.deepcopy(told)
	local function add(where, text) table.insert(all, where .. ": " .. tostring(text)) end
	for _, buf in ipairs(vim.api.nvim_list_bufs()) do
		add("name", vim.api.nvim_buf_get_name(buf))
		for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do add("line", line) end
		for _, m in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
			for _, chunks in ipairs(vim.list_extend({ m[4].virt_text or {} }, m[4].virt_lines or {})) do
				for _, c in ipairs(chunks) do add("virtual", c[1]) end
			end
		end
	end
	for _, win in ipairs(vim.api.nvim_list_wins()) do
		local config = vim.api.nvim_win_get_config(win)
		add("winbar", vim.wo[win].winbar)
		for _, c in ipairs(type(config.title) == "table" and config.title or {}) do add("title", c[1]) end
		add("status", vim.api.nvim_eval_statusline(vim.wo[win].statusline, { winid = win }).str)
	end
	add("status", require("nvim-acp").statusline())
	add("title", vim.fn.bufname(require("nvim-acp").status().bufnr))
	return table.concat(all, "\n")`

// An invisible character is shown as <202E> wherever text of an agent or a project is shown (behaviour 220).
func TestHiddenEverywhere(t *testing.T) {
	t.Parallel()
	s, run := scripted(t, everywhere(t))
	dir := filepath.Dir(s.agent)
	quoted, err := json.Marshal(veiled)
	if err != nil {
		t.Fatal(err)
	}
	project := strings.ReplaceAll(`{"mode": @V@, "rules": [{"command": @V@, "action": "allow"}]}`, "@V@", string(quoted))
	for name, text := range map[string]string{
		".nvim-acp.json": project, ".agents/skills/a.md": "---\nname: " + veiled + "\ndescription: " + veiled + "\n---\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ui(nil, []string{"160", "50"}); err != nil {
		t.Fatal(err)
	}
	run(`told = {}
		vim.notify = function(text) table.insert(told, "notice: " .. text) end
		vim.ui.select = function(items, opts) table.insert(told, "prompt: " .. (opts.prompt or ""))
			for _, item in ipairs(items) do table.insert(told, "item: " .. (opts.format_item or tostring)(item)) end end
		acp = require("nvim-acp") acp.chat() acp.prompt("go")`)
	wait := func(expr string) {
		t.Helper()
		if err := s.editor.wait(expr); err != nil {
			t.Fatal(err)
		}
	}
	wait(`acp.status() and acp.status().pending == 1`)
	run(`vim.cmd("AcpPermit")`)
	wait(`vim.bo.filetype == "acp-permission"`)
	text := run(seen)
	run(`vim.cmd("AcpMode") vim.cmd("AcpModel") vim.cmd("AcpConfig") vim.cmd("AcpSessions") vim.cmd("AcpRules") vim.cmd("AcpTerminals") vim.cmd("AcpTrust")`)
	wait(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find("nvim.acp.json")`)
	text += "\n" + run(seen)
	places := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		place, what, _ := strings.Cut(line, ": ")
		if strings.Contains(what, "<200B>") {
			places[place] = true
		}
		if strings.ContainsAny(what, strings.Trim(veiled, "vw")) {
			t.Errorf("%s has %q", place, what)
		}
	}
	for _, place := range []string{"line", "virtual", "winbar", "title", "name", "item"} {
		if !places[place] {
			t.Errorf("nothing of the agent's is shown in any %s", place)
		}
	}
}
