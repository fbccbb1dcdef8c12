package tests

import (
	"fmt"
	"strings"
	"testing"
)

// A request with a text of megabytes in any place comes to Neovim cut, says so, and can only be rejected; what is only said of it is
// cut and can be allowed. No rule is made at what can only be rejected, and the program takes no answer that allows it (behaviour 1182). Of
// forms too long texts are left out (behaviours 983, 984).
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	line, lines := strings.Repeat("m", n), strings.Repeat(`a b c d\n`, n/8)
	request := func(call string) string {
		return `> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", ` + call + `}, "options": [
			{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}]}
< {"outcome": {"outcome": "selected", "optionId": "n"}}
`
	}
	tests := []struct {
		what, call string
		large      bool
	}{
		{"text", `"title": "t", "content": [{"type": "content", "content": {"type": "text", "text": "` + lines + `"}}]`, true},
		{"text on one line", `"title": "t", "content": [{"type": "content", "content": {"type": "text", "text": "` + line + `"}}]`, true},
		{"member", `"title": "t", "kind": "other", "rawInput": {"zz": "` + lines + `"}`, true},
		{"known member", `"title": "t", "kind": "read", "rawInput": {"query": "` + line + `"}`, true},
		{"name of a member", `"title": "t", "rawInput": {"` + line + `": 1}`, false},
		{"lone input", `"title": "t", "rawInput": "` + line + `"`, true},
		{"command", `"title": "t", "kind": "execute", "rawInput": {"command": "` + line + `"}`, true},
		{"lines of a command", `"title": "t", "kind": "execute", "rawInput": {"command": "` + lines + `"}`, true},
		{"beside a command", `"title": "t", "kind": "execute", "rawInput": {"command": "ls", "stdin": "` + lines + `"}`, true},
		{"location", `"title": "Delete", "kind": "delete", "locations": [{"path": "/` + line + `"}]`, true},
		{
			"path of a diff",
			`"title": "Edit", "kind": "edit", "content": [{"type": "diff", "path": "/` + line + `", "newText": "x"}]`, true,
		},
		{"plan", `"title": "Plan", "kind": "switch_mode", "rawInput": {"plan": "` + lines + `"}`, true},
		{"diff", `"title": "Edit", "kind": "edit", "content": [{"type": "diff", "path": "/x", "newText": "` + lines + `"}]`, false},
		{
			"line of a diff",
			`"title": "Edit", "kind": "edit", "content": [{"type": "diff", "path": "/x", "oldText": "x", "newText": "` + line + `"}]`,
			false,
		},
		{
			"diff of more lines than are compared",
			`"title": "Edit", "kind": "edit", "content": [{"type": "diff", "path": "/x", "oldText": "` + strings.Repeat(`a\n`, n/4) +
				`", "newText": "` + strings.Repeat(`b\n`, n/4) + `"}]`, true,
		},
		{"beside an address", `"title": "t", "kind": "fetch", "rawInput": {"url": "https://a.b/", "prompt": "` + lines + `"}`, true},
		{
			"beside a diff", `"title": "t", "kind": "edit", "content": [{"type": "diff", "path": "$CWD/a.txt", "oldText": null, "newText": "x\n"}],
			"rawInput": {"description": "` + lines + `"}`, true,
		},
		{"title", `"title": "` + line + `", "kind": "read"`, false},
		{"name", `"title": "t", "name": "` + line + `", "kind": "read"`, false},
		{"kind", `"title": "t", "kind": "` + line + `"`, false},
	}
	form := func(params string) string {
		return `> request elicitation/create {"sessionId": "s", ` + params + "}\n"
	}
	script := "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n"
	for _, tt := range tests {
		script += "< session/prompt\n" + request(tt.call) + "> answer session/prompt {\"stopReason\": \"end_turn\"}\n"
	}
	script += "< session/prompt\n" + form(`"mode": "url", "elicitationId": "1", "message": "m", "url": "https://a.b/`+line+`"`) + "< error {\"code\": -32602}\n" +
		form(`"mode": "form", "message": "`+lines+`", "requestedSchema": {"type": "object", "properties": {
			"a": {"type": "string", "title": "`+line+`", "description": "`+line+`", "default": "`+line+`"}, "b": {"type": "string", "enum": ["x", "`+line+`"]},
			"`+line+`": {"type": "string"}, "c": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "default": ["x", "`+line+`"]}}}`) + "hang\n"

	s, run := scripted(t, script)
	run(`told = {}
		vim.notify = function(text) table.insert(told, text) end
		acp = require("nvim-acp") acp.chat()
		float = require("nvim-acp.permission.float")
		function pending() return require("nvim-acp.state").current().permissions[1] end
		function size() return #vim.mpack.encode(pending()) end`)
	wait := func(what, expr string) {
		t.Helper()
		if err := s.editor.wait(expr); err != nil {
			t.Fatal(what, err)
		}
	}
	for i, tt := range tests {
		run(fmt.Sprintf(`acp.prompt("p%d")`, i))
		wait(tt.what, `acp.status().pending == 1 and float.id == pending().id and vim.api.nvim_win_is_valid(float.win)`)
		if got := run(`size() < 700000`); got != "true" {
			t.Errorf("%s: Neovim is given %s bytes", tt.what, run(`size()`))
		}
		if got, want := run(`pending().large ~= nil`), fmt.Sprint(tt.large); got != want {
			t.Errorf("%s: it can only be rejected: %s, want %s", tt.what, got, want)
		}
		if said := run(`table.concat(pending().lines, " "):find("can only be rejected", 1, true) ~= nil`); said != fmt.Sprint(tt.large) {
			t.Errorf("%s: it is said that it can only be rejected: %s", tt.what, said)
		}
		if tt.large {
			run(`told = {} require("nvim-acp.permission").focus() float.changed = 0 vim.wait(400) vim.api.nvim_feedkeys("a", "mx", false)`)
			if got := run(`acp.status().pending .. table.concat(told)`); !strings.Contains(got, "1nvim-acp: it is too large") {
				t.Errorf("%s: after a key that allows: %s", tt.what, got)
			}
			run(`told = {} vim.wait(400) vim.api.nvim_feedkeys("+", "mx", false)`)
			if got := run(`acp.status().pending .. vim.bo.filetype .. table.concat(told)`); !strings.Contains(got, "1acp-permissionnvim-acp: it is too large") {
				t.Errorf("%s: after the key for a rule: %s", tt.what, got)
			}
			run(`told = {} for _, rule in ipairs({ "kind fetch", "path a.txt, kind edit" }) do
				require("nvim-acp.state").notify(require("nvim-acp.state").current(), "rule_add",
					{ id = pending().id, version = pending().version, text = "allow: " .. rule, scope = "session" })
			end`)
			wait(tt.what+", told of no rule", `select(2, table.concat(told):gsub("no rule was made", "")) == 2 and acp.status().pending == 1`)
			if got := run(`acp.permit("y")`); got != "false" {
				t.Errorf("%s: an answer that allows counts", tt.what)
			}
		}
		run(`acp.permit("n")`)
		wait(tt.what, `acp.status().state == "idle" and acp.status().pending == 0`)
	}

	run(`acp.prompt("forms")`)
	wait("form", `acp.status().pending == 1`)
	if got := run(`size() < 100000`); got != "true" {
		t.Errorf("of a form Neovim is given %s bytes", run(`size()`))
	}
	for _, tt := range []struct{ what, code, want string }{
		{"the message", `table.concat(pending().lines, " "):find("cut: it has 1048576 bytes", 1, true) ~= nil`, "true"},
		{"a default", `pending().form.fields[1].description:find("its default of 1048576 bytes is left out", 1, true) ~= nil`, "true"},
		{"a choice", `#pending().form.fields[2].choices .. pending().form.fields[2].description`, "1(the first 1 of 2 choices)"},
		{"a name", `pending().form.fields[3].type`, "unknown"},
		{"several defaults", `#pending().form.fields[4].value`, "1"},
	} {
		if got := strings.TrimSpace(run(tt.code)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.what, got, tt.want)
		}
	}
}
