package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var frameRounds = flag.Int("frames", 1, "how many agents TestFrames plays, each with 1000 random updates")

// updates are one of each kind, all of their fields set; what is sent is one of these with fields changed at random.
const updates = `[
{"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "some *text*\n"}},
{"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "AAAA", "mimeType": "image/png", "uri": "file:///x.png"}},
{"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "name": "n", "uri": "file:///x", "title": "t", "description": "d", "size": 3}},
{"sessionUpdate": "agent_message_chunk", "content": {"type": "resource", "resource": {"uri": "file:///x", "text": "text", "mimeType": "text/plain"}}},
{"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "thinking\n"}},
{"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "a question"}},
{"sessionUpdate": "plan", "entries": [{"content": "one", "status": "completed", "priority": "high"}, {"content": "two", "status": "in_progress", "priority": "low"}]},
{"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Edit a", "name": "edit", "kind": "edit", "status": "completed", "locations": [{"path": "/a", "line": 3}],
 "content": [{"type": "diff", "path": "/a", "oldText": "1\n2\n", "newText": "2\n3\n"}, {"type": "content", "content": {"type": "text", "text": "done"}}],
 "rawInput": {"path": "/a"}, "rawOutput": {"exit_code": 1}},
{"sessionUpdate": "tool_call", "toolCallId": "d", "title": "ls", "kind": "execute", "status": "in_progress", "rawInput": {"command": "ls"}, "content": [{"type": "terminal", "terminalId": "t"}],
 "_meta": {"terminal_info": {"terminal_id": "t", "cwd": "/"}, "claudeCode": {"toolName": "Bash"}}},
{"sessionUpdate": "tool_call_update", "toolCallId": "d", "status": "failed", "title": "ls -l", "_meta": {"terminal_output": {"terminal_id": "t", "data": "out\n"}}},
{"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "fix", "description": "Fixes", "input": {"hint": "what"}}]},
{"sessionUpdate": "current_mode_update", "currentModeId": "plan"},
{"sessionUpdate": "config_option_update", "configOptions": [{"type": "select", "id": "m", "name": "Model", "category": "model", "description": "d", "currentValue": "a",
 "options": [{"value": "a", "name": "A", "description": "d"}, {"value": "b", "name": "B"}]}, {"type": "boolean", "id": "b", "name": "B", "currentValue": true}]},
{"sessionUpdate": "session_info_update", "title": "A title", "updatedAt": "2026-01-01T00:00:00Z"},
{"sessionUpdate": "usage_update", "used": 400, "size": 1000, "cost": {"amount": 0.25, "currency": "USD"}}
]`

// odd are values that agents do not send, but could. None of the long ones is drawn as it is.
func odd(r *rand.Rand, was any) any {
	values := []any{
		nil, "", " ", "\n", "\x00\x1b[2J\r\n", "%#Error#%{%v:lua.x()%}%=", "日本語", "e\u0301\u0302\u0303", "\u202e\U000e0041\u3164\u200d", "\U0001f469\u200d\U0001f680",
		"/../..", "a/b\\c:d", true, []any{}, map[string]any{}, 0, -1, 1e300, 0.5, int64(1) << 62, []any{nil, 1, "x"}, map[string]any{"x": nil},
		strings.Repeat("long ", 2000), strings.Repeat("日", 3000), strings.Repeat("a\u0301", 3000), strings.Repeat("line\n", 2000),
	}
	if r.IntN(40) == 0 {
		return strings.Repeat("%", 400<<10)
	}
	if s, ok := was.(string); ok && r.IntN(4) == 0 {
		return s + fmt.Sprint(r.IntN(100))
	}
	return values[r.IntN(len(values))]
}

// mangle changes a value at a random place in it.
func mangle(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || r.IntN(12) == 0 {
			return odd(r, v)
		}
		key := slices.Sorted(maps.Keys(v))[r.IntN(len(v))]
		if key == "sessionUpdate" && r.IntN(20) > 0 {
			return v
		}
		if r.IntN(4) == 0 {
			delete(v, key)
		} else {
			v[key] = mangle(r, v[key])
		}
		return v
	case []any:
		if len(v) == 0 || r.IntN(6) == 0 {
			return odd(r, v)
		}
		i := r.IntN(len(v))
		v[i] = mangle(r, v[i])
		return v
	}
	return odd(r, v)
}

// frameScript is an agent that says whatever it likes.
func frameScript(r *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString("< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\", \"modes\": " +
		`{"currentModeId": "plan", "availableModes": [{"id": "plan", "name": "Plan"}]}}` + "\n< session/prompt\n")
	for range n {
		var list []any
		if err := json.Unmarshal([]byte(updates), &list); err != nil {
			panic(err)
		}
		u := list[r.IntN(len(list))]
		for range r.IntN(4) {
			u = mangle(r, u)
		}
		line, err := json.Marshal(map[string]any{"sessionId": "s", "update": u})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "> session/update %s\n", line)
	}
	b.WriteString("> {\"stopReason\": \"end_turn\"}\n")
	return b.String()
}

// drawn is Lua that returns the problems of the screen, "" if there are none.
const drawn = `
	local wrong = {}
	local function check(ok, what, ...) if not ok then table.insert(wrong, what:format(...)) end end
	check(not vim.api.nvim_get_mode().blocking, "it waits for a key")
	check(vim.v.errmsg == "", "errmsg: %s", vim.v.errmsg)
	local messages = vim.fn.execute("messages")
	check(not messages:find("E%d+:") and not messages:find("traceback") and not messages:find("rror executing"), "messages: %s", messages:sub(1, 2000))
	for _, text in ipairs(said) do check(not text:find("draw:"), "said: %s", text) end
	for _, win in ipairs(vim.api.nvim_list_wins()) do
		local buf, width = vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_width(win)
		check(#vim.wo[win].winbar < 500 + 16 * width, "a winbar of %d bytes", #vim.wo[win].winbar)
		local bar = vim.api.nvim_eval_statusline(vim.wo[win].winbar, { winid = win, use_winbar = true, maxwidth = 100000 })
		check(bar.width <= width, "a winbar of %d columns in %d", bar.width, width)
		check(#vim.api.nvim_buf_get_name(buf) < 2000, "a name of %d bytes", #vim.api.nvim_buf_get_name(buf))
		for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do check(#line < 3000, "a line of %d bytes", #line) end
		for _, m in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
			local lines = m[4].virt_lines or {}
			for _, chunks in ipairs(vim.list_extend({ m[4].virt_text or {} }, lines)) do
				local n = 0
				for _, c in ipairs(chunks) do n = n + #c[1] end
				check(n < 500 + 16 * width, "virtual text of %d bytes", n)
			end
		end
	end
	check(#require("nvim-acp.chat.winbar").statusline() < 2000, "a status line of %d bytes", #require("nvim-acp.chat.winbar").statusline())
	return table.concat(vim.list_slice(wrong, 1, 5), "\n")`

// Any sequence of updates is drawn without an error, a message that needs a key, or a line longer than a window needs
// (behaviours 117, 132, 230).
func TestFrames(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	for i := range uint64(*frameRounds) {
		seed := seed + i
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			s, run := scripted(t, frameScript(r, 1000))
			if err := s.ui(nil, []string{fmt.Sprint(30 + r.IntN(150)), "30"}); err != nil {
				t.Fatal(err)
			}
			run(`said = {} vim.notify = function(text) table.insert(said, text) end
				acp = require("nvim-acp") acp.chat() acp.prompt("go")`)
			if err := s.editor.wait(`acp.status() and acp.status().state == "idle"`); err != nil {
				t.Fatal(err)
			}
			if wrong := run(drawn); wrong != "" {
				t.Errorf("with the seed %d:\n%s", seed, wrong)
			}
		})
	}
}
