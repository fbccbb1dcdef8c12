package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
)

// twoSessions is an agent with two sessions, each with its own server.
const twoSessions = `< initialize
> {"protocolVersion": 1}
< session/new {"mcpServers": [{"env": [{"value": "$socket"}, {"value": "$token"}]}]}
write .server "$socket $token ."
> {"sessionId": "s"}
< session/new {"mcpServers": [{"env": [{"value": "$socket2"}, {"value": "$token2"}]}]}
write .server2 "$socket2 $token2 ."
> {"sessionId": "s2"}
< session/prompt
hang
`

// join connects to the tools of which a file tells.
func (b *toolbox) join(t *testing.T, name string) *toolbox {
	t.Helper()
	given := b.given(t, name)
	other := &toolbox{dir: b.dir, editor: b.editor, env: append(os.Environ(), socket.PathVar+"="+given[0], socket.TokenVar+"="+given[1])}
	other.client = other.connect(t)
	return other
}

// ended waits for the end of the connection.
func (b *toolbox) ended(t *testing.T) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- b.client.Wait() }() // until the connection ends
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("the connection does not end\n%s", b.scene())
	}
}

// Several sessions of an agent, and several agents, have tools of their own at the same time: each with its folder and its name, and
// each ends with its own session (behaviours 312, 341).
func TestToolsSessions(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", "sub/a.txt": "of sub\n", "far/a.txt": "of far\n",
		".agent": twoSessions, ".agent2": strings.ReplaceAll(toolScript, ".server", "../.server3"),
	})
	b.must(t, `vim.g.first = require("nvim-acp").status().session`)
	b.must(t, fmt.Sprintf(`(function()
		local acp = require("nvim-acp")
		local agents = require("nvim-acp.config").options.agents
		acp.setup({ agent = "scripted", agents = { scripted = agents.scripted, other = { title = "Other", command = agents.scripted.command, args = { "agent", "--script", %q } } } })
		vim.g.second = acp.chat({ new = true, cwd = %q, focus = false })
		vim.g.third = acp.chat({ new = true, agent = "other", cwd = %q, focus = false })
	end)()`, b.dir+"/.agent2", b.dir+"/sub", b.dir+"/far"))
	second, third := b.join(t, ".server2"), b.join(t, ".server3")

	var group sync.WaitGroup
	for range 20 {
		for _, x := range []struct {
			box  *toolbox
			text string
		}{{b, "one\n"}, {second, "of sub\n"}, {third, "of far\n"}} {
			group.Go(func() {
				text, failed, err := x.box.use(t.Context(), "read", map[string]any{"path": "a.txt"})
				if err != nil || failed || text != x.text {
					t.Errorf("got %q %t %v, want %q", text, failed, err, x.text)
				}
			})
		}
	}
	group.Wait()

	item := []map[string]any{{"path": "a.txt", "line": 1, "text": "hi"}}
	for _, box := range []*toolbox{b, second, third} {
		box.call(t, "annotate", map[string]any{"items": item})
	}
	has(t, b.call(t, "annotate", map[string]any{"replace": true}), "shows 0 annotations of yours")
	has(t, b.must(t, `(function() local out = {} for _, a in ipairs(require("nvim-acp").annotations()) do
		table.insert(out, a.agent .. vim.fs.basename(vim.fs.dirname(a.path))) end return table.concat(out, " ") end)()`), "scriptedsub Otherfar")

	b.must(t, `require("nvim-acp").close({ session = vim.g.second })`)
	second.ended(t)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	has(t, third.call(t, "read", map[string]any{"path": "a.txt"}), "of far\n")

	// The agent is killed: its tools end, those of the other stay.
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(commands) == 0 {
		t.Fatalf("no processes in /proc: %v", err)
	}
	for _, path := range commands {
		line, _ := os.ReadFile(path) // others end meanwhile
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && strings.Contains(string(line), b.dir+"/.agent2") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	third.ended(t)
	if err := b.wait(`require("nvim-acp").status({ session = vim.g.third }).tools == "" and require("nvim-acp").status({ session = vim.g.first }).tools == "connected"`); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
}

// What a tool changes is its own session's doing, also while another one is at work in the same folder (behaviours 52, 341).
func TestToolsWhose(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\n", ".agent": strings.Replace(twoSessions, "hang", "< session/prompt\nhang", 1)})
	b.must(t, fmt.Sprintf(`(function()
		local acp = require("nvim-acp")
		vim.cmd("edit a.txt")
		vim.g.first = acp.status().session
		vim.g.second = acp.chat({ new = true, cwd = %q, focus = false })
		acp.prompt("work", { session = vim.g.first })
		acp.prompt("work", { session = vim.g.second })
	end)()`, b.dir))
	second := b.join(t, ".server2")
	both := `(function() local acp = require("nvim-acp")
		return acp.status({ session = vim.g.first }).state == "busy" and acp.status({ session = vim.g.second }).state == "busy" end)()`
	if err := b.editor.wait(both); err != nil {
		t.Fatal(err)
	}
	second.call(t, "edit", map[string]any{"path": "a.txt", "old": "two", "new": "TWO"})
	if err := b.editor.wait(`(function() local c = require("nvim-acp").changes()
		return #c == 1 and c[1].session == vim.g.second and not c[1].unknown end)()`); err != nil {
		t.Fatalf("%v\n%s", err, b.must(t, `vim.inspect(require("nvim-acp").changes())`))
	}
}

// A call that comes with the token of a session that has nothing to do, while another session of the same agent is at work, is refused, and
// the other session says so: some agents have one server of ours for all of their sessions. Each session's server is a process that ends
// with it (behaviours 850).
func TestToolsWrongSession(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", "sub/a.txt": "of sub\n", ".agent": twoSessions})
	b.must(t, fmt.Sprintf(`(function()
		local acp = require("nvim-acp")
		vim.g.first = acp.status().session
		vim.g.second = acp.chat({ new = true, cwd = %q, focus = false })
	end)()`, b.dir+"/sub"))
	second := b.join(t, ".server2")
	has(t, second.call(t, "read", map[string]any{"path": "a.txt"}), "of sub\n")

	b.must(t, `require("nvim-acp").prompt("work", { session = vim.g.first })`)
	if err := b.wait(`require("nvim-acp").status({ session = vim.g.first }).state == "busy"`); err != nil {
		t.Fatal(err)
	}
	err := b.poll(func() (bool, error) { // once the agent has the prompt
		_, failed, err := second.use(context.Background(), "read", map[string]any{"path": "a.txt"})
		return failed, err
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, second.refused(t, "read", map[string]any{"path": "a.txt"}), "refused: the session whose tools these are has nothing to do")
	has(t, second.refused(t, "edit", map[string]any{"path": "a.txt", "old": "sub", "new": "none"}), "refused")
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	text := `table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status({ session = vim.g.first }).bufnr, 0, -1, false), " ")`
	if err := b.wait(text + `:find("uses the editor's tools as those of another session", 1, true) ~= nil`); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}

	b.must(t, `require("nvim-acp").close({ session = vim.g.second })`)
	second.ended(t)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
}

// The tools stay the agent's while its session is detached, and attached: they read the disk meanwhile, and
// what is on the screen then (behaviours 311, 421).
func TestToolsDetached(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "of the disk\n", ".agent": strings.Replace(toolScript, "< session/prompt", "< session/prompt\nwrite .here \"\"", 1)})
	b.must(t, `vim.cmd("edit a.txt") vim.fn.setline(1, "of the screen") require("nvim-acp").prompt("work")`)
	if err := b.wait(`vim.uv.fs_stat(".here") ~= nil`); err != nil {
		t.Fatal(err)
	}
	read := map[string]any{"path": "a.txt"}
	has(t, b.call(t, "read", read), "of the screen\n")
	b.must(t, `vim.cmd("AcpDetach")`)
	if err := b.wait(`#require("nvim-acp").sessions() == 0`); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "read", read), "of the disk\n")
	b.must(t, `vim.cmd("AcpAttach")`)
	if err := b.wait(`#require("nvim-acp").sessions() == 1 and require("nvim-acp").status().tools == "connected"`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	has(t, b.call(t, "read", read), "of the screen\n")
}
