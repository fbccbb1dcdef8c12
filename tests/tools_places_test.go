package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The quickfix list is read as it is, and a new one is made that the user can go through; those of before stay, no window is opened
// and nothing of a secret file is told (behaviour 331).
func TestToolsQuickfix(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n", ".env": "KEY=1\n"})
	has(t, b.call(t, "quickfix", nil), "The quickfix list is empty.")
	b.must(t, `vim.fn.setqflist({}, " ", { title = "make", items = {
		{ filename = "a.txt", lnum = 2, col = 3, type = "E", text = "wrong" }, { filename = ".env", lnum = 1, text = "KEY" }, { text = "only text" } } })
		vim.cmd("cc 3")`)
	list := b.call(t, "quickfix", nil)
	has(t, list, "make, 3 entries, the user is at number 3", "a.txt:2:3: error: wrong\n", "\nonly text\n")
	if strings.Contains(list, "KEY") {
		t.Errorf("a secret file is told: %s", list)
	}

	b.must(t, `vim.g.wins = #vim.api.nvim_list_wins()`)
	items := []map[string]any{{"path": "b.txt", "line": 1, "text": "see\x1b[31m this", "kind": "note"}, {"path": "a.txt", "line": 2, "text": "and this"}}
	has(t, b.call(t, "quickfix", map[string]any{"title": "To look at", "items": items}), "list of 2 entries")
	has(t, b.must(t, `vim.fn.getqflist({ title = 0 }).title`), "To look at (scripted)")
	has(t, b.must(t, `tostring(#vim.api.nvim_list_wins() == vim.g.wins)`), "true")
	has(t, b.must(t, `vim.fn.getqflist()[1].text`), "see^[[31m this")
	has(t, b.must(t, `(function() vim.cmd("cfirst") return vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. tostring(vim.bo.buflisted) end)()`), "b.txttrue")
	has(t, b.must(t, `(function() vim.cmd("silent colder") return vim.fn.getqflist({ title = 0 }).title end)()`), "make")

	has(t, b.call(t, "quickfix", map[string]any{"items": []any{}}), "an empty quickfix list now")
	has(t, b.must(t, `tostring(#vim.fn.getqflist())`), "0")

	for _, wrong := range []struct {
		item map[string]any
		why  string
	}{
		{map[string]any{"path": "a.txt", "line": 0, "text": "x"}, "there is no line 0"},
		{map[string]any{"path": "", "line": 1, "text": "x"}, "no path"},
		{map[string]any{"path": "a.txt", "line": 1, "text": "x", "kind": "lua"}, "no kind is called"},
	} {
		has(t, b.refused(t, "quickfix", map[string]any{"items": []map[string]any{wrong.item}}), "item 1", wrong.why)
	}
	for _, path := range []string{"none.txt", "."} {
		item := map[string]any{"path": path, "line": 1, "text": "x"}
		has(t, b.refused(t, "quickfix", map[string]any{"items": []map[string]any{item}}), "no such file")
	}
}

// fill answers the form that the user is shown, by the keys' own way; one that was answered before is no more shown.
func (b *toolbox) fill(t *testing.T, action, values string) {
	t.Helper()
	if err := b.wait(`(function() local p = require("nvim-acp.state").current().permissions[1]
		return p and vim.g.filled ~= p.id .. p.version end)()`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	b.must(t, fmt.Sprintf(`(function() local s = require("nvim-acp.state").current() local p = s.permissions[1] vim.g.filled = p.id .. p.version
		require("nvim-acp.state").notify(s, "fill", { id = p.id, version = p.version, action = %q, values = %s }) end)()`, action, values))
}

// answered returns what a call says that is under way.
func answered(t *testing.T, done <-chan string) string {
	t.Helper()
	select {
	case got := <-done:
		return got
	case <-time.After(patience):
		t.Fatal("the call does not end")
		return ""
	}
}

// A question waits in the inbox of permissions and forms: with options, in other words, as a text; the user may decline, or put it
// away (behaviour 333).
func TestToolsQuestion(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n"})
	options := []string{"Left", "Right \x1b[2J"}
	done := b.later(t, "ask", map[string]any{"question": "Which way?\n%{1}\x1b[2J", "options": options})
	has(t, b.must(t, `vim.inspect(require("nvim-acp.state").current().permissions[1])`), "scripted asks", "Which way?", "%{1}^[[2J", "In other words", `title = "Right ^[[2J"`)
	b.fill(t, "accept", `{ choice = "Left" }`)
	has(t, answered(t, done), "Left failed:false")

	done = b.later(t, "ask", map[string]any{"question": "Which?", "options": options, "several": true})
	b.fill(t, "accept", `{ choice = { "Left" }, text = "or none" }`)
	has(t, answered(t, done), "Left\nor none failed:false")

	done = b.later(t, "ask", map[string]any{"question": "Why?"})
	b.fill(t, "accept", `{ text = "" }`) // it must be filled in
	b.fill(t, "accept", `{ text = "because" }`)
	has(t, answered(t, done), "because failed:false")

	done = b.later(t, "ask", map[string]any{"question": "Why?"})
	b.fill(t, "decline", `vim.empty_dict()`)
	has(t, answered(t, done), "does not want to answer", "failed:false")
	done = b.later(t, "ask", map[string]any{"question": "Why?"})
	b.fill(t, "cancel", `vim.empty_dict()`)
	has(t, answered(t, done), "without an answer", "failed:false")

	has(t, b.refused(t, "ask", map[string]any{"question": " "}), "no question")
	has(t, b.refused(t, "ask", map[string]any{"question": "x", "options": []string{""}}), "option 1 is empty")

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { // until stop
		_, _, err := b.use(ctx, "ask", map[string]any{"question": "Why?"})
		ended <- err
	}()
	if err := b.wait(`require("nvim-acp").status().pending == 1`); err != nil {
		t.Fatal(err)
	}
	stop()
	<-ended
	if err := b.wait(`require("nvim-acp").status().pending == 0`); err != nil {
		t.Error("the question of a call that was cancelled is left")
	}
}

// A name with line breaks stays on one line of an answer (behaviour 464).
func TestToolsPlaceNames(t *testing.T) {
	b := newToolbox(t, nil)
	at := []any{map[string]any{"path": "no\nsuch", "line": 1, "text": "x"}}
	for tool, args := range map[string]map[string]any{"open": {"path": "no\nsuch"}, "annotate": {"items": at}, "quickfix": {"items": at}} {
		got := b.refused(t, tool, args)
		if has(t, got, `no\nsuch"`); strings.Contains(got, "\n") {
			t.Errorf("%s: got %q", tool, got)
		}
	}
}

// A place is shown in a window beside the user's: neither focus nor cursor nor what is typed goes elsewhere, and never in a window
// of a chat (behaviour 334).
func TestToolsOpen(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "big.txt": strings.Repeat("line\n", 300_000)})
	where := `(function()
		local out = { vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. ":" .. vim.fn.line(".") }
		for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
			local buf = vim.api.nvim_win_get_buf(win)
			if win ~= vim.api.nvim_get_current_win() then
				table.insert(out, vim.b[buf].acp_session and "chat" or vim.fs.basename(vim.api.nvim_buf_get_name(buf)) .. ":" .. vim.api.nvim_win_get_cursor(win)[1])
			end
		end
		return table.concat(out, " ")
	end)()`
	b.must(t, `vim.cmd("edit b.txt") require("nvim-acp").chat()`) // the prompt has the focus
	if _, err := b.Input("ityped"); err != nil {
		t.Fatal(err)
	}
	if err := b.wait(`vim.api.nvim_get_current_line() == "typed"`); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "open", map[string]any{"path": "a.txt", "line": 2, "last": 3}), "a.txt:2 is in a window beside")
	if _, err := b.Input(" on"); err != nil {
		t.Fatal(err)
	}
	if err := b.wait(`vim.api.nvim_get_current_line() == "typed on"`); err != nil {
		t.Errorf("what is typed goes elsewhere\n%s", b.scene())
	}
	has(t, b.must(t, where), ":1 ", "a.txt:2", "chat")

	b.must(t, `vim.cmd("stopinsert | wincmd t | only! | edit b.txt")`) // one window, the user's
	has(t, b.call(t, "open", map[string]any{"path": "a.txt", "line": 99}), "a.txt:3 is in a window", "the file has no line 99, this is its last one")
	has(t, b.must(t, where), "b.txt:1 a.txt:3")

	b.must(t, `vim.cmd("wincmd w")`) // into that window
	has(t, b.call(t, "open", map[string]any{"path": "b.txt"}), "b.txt is")
	has(t, b.must(t, where), "a.txt:3 b.txt:1")

	b.must(t, `vim.notify = function(text) vim.g.said = text end`)
	if _, err := b.Input(":"); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "open", map[string]any{"path": "b.txt"}), "b.txt is not opened; they have been notified")
	if _, err := b.Input("<Esc>"); err != nil {
		t.Fatal(err)
	}
	if err := b.wait(`(vim.g.said or ""):find("scripted would show you b.txt", 1, true)`); err != nil {
		t.Error(err)
	}
	has(t, b.call(t, "open", map[string]any{"path": "big.txt", "line": 7}), "big.txt:7 is not opened")
	has(t, b.refused(t, "open", map[string]any{"path": "none.txt"}), "no such file")
	has(t, b.refused(t, "open", map[string]any{"path": "a.txt", "line": -1}), "no line -1")
}

// What is open, its problems and the text of a file are resources too, by the same rules (behaviour 335).
func TestToolsResources(t *testing.T) {
	b := newToolbox(t, map[string]string{"a b.txt": "one\n", ".env": "KEY=1\n"})
	b.must(t, `vim.cmd("edit a\\ b.txt") vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })
		vim.diagnostic.set(vim.api.nvim_create_namespace("t"), 0, { { lnum = 0, col = 1, message = "odd" } })`)
	ctx := context.Background()
	read := func(uri string) string {
		t.Helper()
		r, err := b.client.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 {
			t.Fatalf("%s: %v %v", uri, r, err)
		}
		return r.Contents[0].Text
	}
	list, err := b.client.ListResources(ctx, nil)
	if err != nil || len(list.Resources) != 2 {
		t.Errorf("got %v, %v", list, err)
	}
	has(t, read("nvim://buffers"), "a b.txt (1 line), unsaved changes")
	has(t, read("nvim://diagnostics"), "a b.txt:1:2: error: odd")
	has(t, read("nvim://text"+strings.ReplaceAll(b.dir, " ", "%20")+"/a%20b.txt"), "typed\n")
	if _, err := b.client.ReadResource(ctx, &sdk.ReadResourceParams{URI: "nvim://text" + b.dir + "/none"}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	if err := b.wait(`(function()
		local shown = table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")
		return shown:find("Read 4 files", 1, true)
	end)()`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	b.must(t, `vim.cmd("AcpExport shown.md")`)
	if err := b.wait(`vim.fn.getfsize("shown.md") > 0`); err != nil {
		t.Fatal(err)
	}
	has(t, b.file(t, "shown.md"), "Open buffers", "Diagnostics", "a b.txt")
	caps := b.client.InitializeResult().Capabilities
	if caps.Resources == nil || caps.Resources.ListChanged || caps.Resources.Subscribe || caps.Tools == nil || caps.Tools.ListChanged {
		t.Errorf("the server promises %+v %+v", caps.Resources, caps.Tools)
	}
}

// No tool gets out of the folder unasked: by "..", by a link, by an odd name; and none runs anything (behaviour 336).
func TestToolsEscapes(t *testing.T) {
	b := newToolbox(t, map[string]string{"in.txt": "in\n", ".env": "KEY=1\n"}, `require("nvim-acp.config").options.fs.outside.read = "ask"`)
	outside := filepath.Join(t.TempDir(), "out.txt")
	write(t, outside, "out\n")
	if err := os.Symlink(outside, filepath.Join(b.dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(b.dir, outside)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(path string) map[string]any{
		"read":        func(p string) map[string]any { return map[string]any{"path": p} },
		"diagnostics": func(p string) map[string]any { return map[string]any{"path": p} },
		"definition":  func(p string) map[string]any { return map[string]any{"path": p, "symbol": "x"} },
		"references":  func(p string) map[string]any { return map[string]any{"path": p, "symbol": "x"} },
		"hover":       func(p string) map[string]any { return map[string]any{"path": p, "symbol": "x"} },
		"symbols":     func(p string) map[string]any { return map[string]any{"path": p} },
		"edit":        func(p string) map[string]any { return map[string]any{"path": p, "old": "o", "new": "x"} },
		"rename":      func(p string) map[string]any { return map[string]any{"path": p, "symbol": "x", "name": "y"} },
		"code_action": func(p string) map[string]any { return map[string]any{"path": p, "line": 1} },
		"open":        func(p string) map[string]any { return map[string]any{"path": p} },
		"quickfix": func(p string) map[string]any {
			return map[string]any{"items": []map[string]any{{"path": p, "line": 1, "text": "x"}}}
		},
		"annotate": func(p string) map[string]any {
			return map[string]any{"items": []map[string]any{{"path": p, "line": 1, "text": "x"}}}
		},
	}

	known, err := b.client.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range known.Tools {
		if calls[tool.Name] == nil && tool.Name != "buffers" && tool.Name != "ask" {
			t.Errorf("%s is not tried", tool.Name)
		}
	}

	for name, args := range calls {
		for _, path := range []string{outside, rel, "link.txt", "sub/../.env", "./.env"} {
			done := b.later(t, name, args(path)) // it asks, and is rejected
			b.must(t, `require("nvim-acp").permit("reject")`)
			has(t, answered(t, done), "does not allow it", "failed:true")
		}
	}

	for _, path := range []string{"term://touch ran", "scp://host/x", "`touch ran`", "|let g:ran=1", "a\x00b", "~/x", "=execute('let g:ran=1')"} {
		for name, args := range calls {
			b.refused(t, name, args(path))
		}
	}
	has(t, b.must(t, `tostring(vim.g.ran) .. #vim.fn.glob("ran")`), "nil0")
	if text, err := os.ReadFile(outside); err != nil || string(text) != "out\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

// The chat's head says when the agent has connected to the tools, and checkhealth of each session whether it has (behaviour 337).
func TestToolsHead(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n"})
	head := func(has bool) string {
		return fmt.Sprintf(`vim.iter(vim.fn.win_findbuf(require("nvim-acp").status().bufnr)):any(function(w) return (vim.wo[w].winbar:find("  can use Neovim", 1, true) ~= nil) == %t end)`, has)
	}
	health := `(function() vim.cmd("checkhealth nvim-acp") local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") vim.cmd("bwipe!") return text end)()`
	if err := b.wait(head(true) + ` and require("nvim-acp").status().tools == "connected"`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	has(t, b.must(t, health), "scripted: connected to them")
	_ = b.client.Close() // a bridge that is slow to end is terminated
	if err := b.wait(head(false) + ` and require("nvim-acp").status().tools == "offered"`); err != nil {
		t.Fatal(err)
	}
	has(t, b.must(t, health), "scripted: offered to it; it has not connected")
	b.must(t, killHost)
	if err := b.wait(`require("nvim-acp").status().tools == ""`); err != nil {
		t.Fatal(err)
	}
}
