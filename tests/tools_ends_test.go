package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// endScript is an agent whose prompts fail, are stopped and need a login, each once a file is there.
const endScript = `< initialize
> {"protocolVersion": 1, "authMethods": [{"id": "key", "name": "Key"}]}
< session/new {"mcpServers": [{"env": [{"value": "$socket"}, {"value": "$token"}]}]}
write .server "$socket $token ."
> {"sessionId": "s"}
< session/prompt
write .fails ""
wait .fail
> error {"code": -32603, "message": "no model"}
< session/prompt
write .goes ""
< session/cancel
wait .stop
> answer session/prompt {"stopReason": "cancelled"}
< session/prompt
write .logs ""
wait .login
> error {"code": -32000, "message": "no key"}
< authenticate
> {}
< session/prompt
write .again ""
> {"stopReason": "end_turn"}
`

// What tools ask is withdrawn with the turn, however that ends: the agent is told so, not that the user has said no, and nothing is changed;
// the tools themselves are still the agent's (behaviour 1580).
func TestToolsTurnEnds(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "out.txt")
	write(t, outside, "one\n")
	b := newToolbox(t, map[string]string{"a.txt": "one\n", ".env": "KEY=1\n", ".agent": endScript},
		oddServer+`require("nvim-acp.config").options.fs.outside = { read = "allow", write = "ask" }
			odd["textDocument/rename"] = { changes = { [vim.uri_from_fname(vim.fn.getcwd() .. "/a.txt")] = {
				{ range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }, newText = "uno" } } } }
			vim.cmd("edit a.txt")`)
	calls := []struct {
		name string
		args map[string]any
	}{
		{"ask", map[string]any{"question": "Which one?"}},
		{"read", map[string]any{"path": ".env"}},
		{"rename", map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"}},
		{"edit", map[string]any{"path": outside, "old": "one", "new": "ONE"}},
	}
	answers := make(chan string, len(calls))
	use := func() {
		for _, call := range calls {
			go func() { // until the turn ends
				text, failed, err := b.use(context.Background(), call.name, call.args)
				answers <- fmt.Sprintf("%s: %s %t %v", call.name, text, failed, err)
			}()
		}
	}
	withdrawn := func(event, want string) {
		t.Helper()
		for range calls {
			if got := answered(t, answers); !strings.Contains(got, want) || !strings.HasSuffix(got, " true <nil>") {
				t.Errorf("%s: got %q, want %q", event, got, want)
			}
		}
		if err := b.wait(`require("nvim-acp").status().pending == 0 and require("nvim-acp").status().tools == "connected"`); err != nil {
			t.Fatalf("%s: %v\n%s", event, err, b.scene())
		}
		has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
		if got, err := os.ReadFile(outside); err != nil || string(got) != "one\n" {
			t.Errorf("%s: the file has %q %v", event, got, err)
		}
	}
	const pending = `require("nvim-acp").status().pending == 4`
	for _, test := range []struct{ name, began, end, state string }{
		{"the prompt fails", ".fails", `vim.fn.writefile({}, ".fail")`, "idle"},
		{"a stop", ".goes", `require("nvim-acp").cancel()`, "cancelling"},
		{"a login", ".logs", `vim.fn.writefile({}, ".login")`, "login"},
	} {
		b.must(t, fmt.Sprintf(`require("nvim-acp").prompt(%q)`, test.name))
		if err := b.wait(fmt.Sprintf(`vim.uv.fs_stat(%q) ~= nil`, test.began)); err != nil {
			t.Fatalf("%s: %v\n%s", test.name, err, b.scene())
		}
		use()
		if err := b.wait(pending); err != nil {
			t.Fatalf("%s: %v\n%s", test.name, err, b.scene())
		}
		b.must(t, test.end)
		if err := b.wait(fmt.Sprintf(`require("nvim-acp").status().state == %q`, test.state)); err != nil {
			t.Fatalf("%s: %v\n%s", test.name, err, b.scene())
		}
		withdrawn(test.name, "was withdrawn")
		if test.state != "cancelling" {
			continue
		}

		use() // in a turn that is being stopped nobody is asked any more
		withdrawn("after the stop", "the user has stopped the turn")
		b.must(t, `vim.fn.writefile({}, ".stop")`)
		if err := b.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
			t.Fatal(err)
		}
	}

	b.must(t, `vim.cmd("AcpLogin key")`)
	if err := b.wait(`vim.uv.fs_stat(".again") ~= nil and require("nvim-acp").status().state == "idle"`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	shown := b.must(t, `table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")`)
	if has(t, shown, "no model"); strings.Contains(shown, "the editor's tools") {
		t.Errorf("the chat shows %s", shown)
	}
}
