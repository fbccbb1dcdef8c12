package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// copyScript is an agent that can copy its session; each of its sessions has a server.
const copyScript = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"fork": {}}}}
< session/new {"mcpServers": [{"env": [{"value": "$socket"}, {"value": "$token"}]}]}
write .server "$socket $token ."
> {"sessionId": "s"}
< session/prompt
write .here ""
wait .end
> {"stopReason": "end_turn"}
< session/fork {"sessionId": "s", "mcpServers": [{"env": [{"value": "$socket2"}, {"value": "$token2"}]}]}
write .copy "$socket2 $token2 ."
> {"sessionId": "c"}
< session/new {"mcpServers": [{"env": [{"value": "$socket3"}, {"value": "$token3"}]}]}
write .back "$socket3 $token3 ."
> {"sessionId": "b"}
hang
`

// A copy of a session, and one that goes back, have tools of their own: what waits for the user and what is annotated stay the first one's,
// and what a tool has changed is undone with its turn (behaviour 1581).
func TestToolsCopied(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\n", ".agent": copyScript})
	is := func(what string) {
		t.Helper()
		if err := b.wait(what); err != nil {
			t.Fatalf("%v\n%s", err, b.scene())
		}
	}
	b.must(t, `(function()
		acp = require("nvim-acp")
		first = acp.status().session
		vim.cmd("edit a.txt")
		acp.prompt("work")
		vim.ui.select = function(items, _, done) done(items[1], 1) end
	end)()`)
	is(`vim.uv.fs_stat(".here") ~= nil`)
	b.call(t, "edit", map[string]any{"path": "a.txt", "old": "one", "new": "ONE"})
	annotate := func(of *toolbox, text string) {
		t.Helper()
		item := []map[string]any{{"path": "a.txt", "line": 2, "text": text}}
		has(t, of.call(t, "annotate", map[string]any{"items": item, "replace": true}), "shows 1 annotation of yours")
	}
	annotate(b, "of the first")
	b.must(t, `vim.fn.writefile({}, ".end")`)
	is(`acp.status().state == "idle" and #acp.changes() == 1`)
	done := b.later(t, "ask", map[string]any{"question": "Which one?"})

	b.must(t, `(function() local sessions = require("nvim-acp.sessions")
		sessions.fork(sessions.row(require("nvim-acp.state").sessions[first])) end)()`)
	copied := b.join(t, ".copy")
	is(`#acp.sessions() == 2 and acp.status().session ~= first and acp.status().tools == "connected"`)
	is(`acp.status().pending == 0 and acp.status({ session = first }).pending == 1`)
	annotate(copied, "of the copy")

	b.must(t, `acp.rewind({ session = first })`)
	is(`vim.api.nvim_win_get_config(0).relative ~= ""`)
	if _, err := b.Input("<CR>"); err != nil {
		t.Fatal(err)
	}
	back := b.join(t, ".back")
	is(`#acp.sessions() == 3 and acp.status().tools == "connected" and acp.status().pending == 0`)
	is(`table.concat(vim.fn.readfile("a.txt"), "|") == "one|two"`)
	has(t, back.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	has(t, back.refused(t, "edit", map[string]any{"path": "a.txt", "old": "ONE", "new": "x"}), "does not occur in the text on the screen")
	annotate(back, "of the one that goes back")
	const all = `(function() local list = vim.tbl_map(function(a) return a.text end, acp.annotations())
		table.sort(list) return table.concat(list, ", ") end)()`
	if got, want := b.must(t, all), "of the copy, of the first, of the one that goes back"; got != want {
		t.Errorf("annotated: got %q, want %q", got, want)
	}

	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	is(`acp.status({ session = first }).pending == 1`)
	b.must(t, `acp.close({ session = first })`)
	answered(t, done) // its connection ends with it
	b.ended(t)
	has(t, copied.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
}

// An undo in the editor, and a checkout of the user's, are what the next call of a tool sees; a change that waits for the user meanwhile is
// merged with what is there then, or told to be one of two versions (behaviour 1582).
func TestToolsUndone(t *testing.T) {
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", outside, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	file := filepath.Join(outside, "a.txt")
	write(t, file, "one\ntwo\nthree\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-qm", "main")
	git("checkout", "-qb", "other")
	write(t, file, "uno\ntwo\nthree\n")
	git("commit", "-qam", "other")
	git("checkout", "-q", "main")

	b := newToolbox(t, map[string]string{"in.txt": "one\ntwo\n"}, `require("nvim-acp.config").options.fs.outside = { read = "allow", write = "ask" }`)
	text := func() string { return b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`) }
	edit := func(path, old, new string) map[string]any {
		return map[string]any{"path": path, "old": old, "new": new}
	}
	b.must(t, `vim.cmd("edit in.txt")`)
	b.call(t, "edit", edit("in.txt", "one", "ONE"))
	b.must(t, `vim.cmd("undo")`)
	has(t, b.refused(t, "edit", edit("in.txt", "ONE", "x")), "does not occur in the text on the screen")
	b.call(t, "edit", edit("in.txt", "two", "TWO"))
	if got := text(); got != "one|TWO" {
		t.Errorf("what is undone is there again: %q", got)
	}
	b.must(t, `vim.cmd("undo | undo")`)
	b.must(t, `vim.cmd("redo")`)
	has(t, b.call(t, "read", map[string]any{"path": "in.txt"}), text()[:3])

	b.must(t, fmt.Sprintf(`vim.cmd.edit(%q)`, file))
	for _, test := range []struct{ does, checkout, old, want, disk, said string }{
		{`vim.fn.setline(3, "typed") vim.cmd("undo")`, "main", "two", "one|TWO|three", "one\nTWO\nthree\n", "1 place replaced."},
		{`vim.cmd("silent redo")`, "main", "two", "one|TWO|typed", "one\nTWO\nthree\n", "1 place replaced."},
		{``, "other", "two", "uno|TWO|three", "uno\nTWO\nthree\n", "1 place replaced."},
		{``, "other", "one", "<<<<<<< yours|uno|=======|ONE|>>>>>>> agent|two|three", "ONE\ntwo\nthree\n", "both versions are in the editor"},
	} {
		git("checkout", "-q", "-f", "main")
		b.must(t, `vim.cmd("silent edit! | let &undolevels = &undolevels")`) // the change that follows is one of its own
		if strings.Contains(test.does, "redo") {
			b.must(t, `vim.fn.setline(3, "typed") vim.cmd("silent undo")`)
		}
		done := b.later(t, "edit", edit(file, test.old, strings.ToUpper(test.old)))
		git("checkout", "-q", "-f", test.checkout)
		b.must(t, "(function() "+test.does+" end)()")
		b.must(t, `require("nvim-acp").permit("allow_once")`)
		got := answered(t, done)
		disk, err := os.ReadFile(file)
		if err != nil || !strings.Contains(got, test.said) || text() != test.want || string(disk) != test.disk {
			t.Errorf("%s%s: got %s; %s; %q %v", test.does, test.checkout, got, text(), disk, err)
		}
	}
}

// idleScript is an agent that has used a tool, in its own words, and is ended for being idle.
const idleScript = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}
< session/new {"mcpServers": [{"name": "nvim", "env": [{"value": "$socket"}, {"value": "$token"}]}]}
write .server "$socket $token ."
wait .go
> {"sessionId": "s"}
< session/prompt
write .here ""
wait .used
` + said1 + `> {"stopReason": "end_turn"}
`

const said1 = `> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "nvim_read", "kind": "read", "status": "completed", "rawInput": {"path": "a.txt"}}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Read once."}}}
`

// replayScript is the same agent, which repeats what was said while it answers the next prompt.
const replayScript = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}
< session/load {"mcpServers": [{"name": "nvim", "env": [{"value": "$socket"}, {"value": "$token"}]}]}
write .again "$socket $token ."
> {}
< session/prompt
write .here2 ""
wait .used2
> session/update {"sessionId": "s", "update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "one"}}}
` + said1 + `> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c2", "title": "nvim_read", "kind": "read", "status": "completed", "rawInput": {"path": "b.txt"}}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Read twice."}}}
> {"stopReason": "end_turn"}
`

// The tools of an agent that is ended for being idle end with it; started again it has others, as a new connection, and what it repeats of its
// uses is none that it makes now: each is shown once, where it was (behaviour 1583).
func TestToolsIdleReplayed(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", ".agent": idleScript},
		`require("nvim-acp").setup(vim.tbl_extend("force", require("nvim-acp.config").options, { start = { idle_minutes = 0.002 } }))`)
	is := func(what string) {
		t.Helper()
		if err := b.wait(what); err != nil {
			t.Fatalf("%v\n%s", err, b.scene())
		}
	}
	b.must(t, `(function()
		acp = require("nvim-acp")
		vim.notify = function(text) said = (said or "") .. text end
		acp.prompt("one")
		vim.fn.writefile({}, ".go")
	end)()`)
	is(`vim.uv.fs_stat(".here") ~= nil`)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	b.call(t, "annotate", map[string]any{"items": []map[string]any{{"path": "a.txt", "line": 1, "text": "why one?"}}})
	b.must(t, `vim.fn.writefile({}, ".used")`)
	is(`acp.status().state == "disconnected"`)
	b.ended(t)
	is(`acp.status().tools == ""`)

	write(t, filepath.Join(b.dir, ".agent"), replayScript)
	b.must(t, `acp.prompt("two")`)
	again := b.join(t, ".again")
	is(`vim.uv.fs_stat(".here2") ~= nil and acp.status().tools == "connected"`)
	has(t, again.call(t, "read", map[string]any{"path": "b.txt"}), "two\n")
	has(t, again.call(t, "annotate", map[string]any{"items": []map[string]any{{"path": "b.txt", "line": 1, "text": "why two?"}}}), "shows 2 annotations of yours")
	b.must(t, `vim.fn.writefile({}, ".used2")`)
	is(`acp.status().state ~= "busy"`)
	b.must(t, `vim.cmd("AcpExport shown.md")`)
	is(`vim.fn.getfsize("shown.md") > 0`)
	shown := b.file(t, "shown.md")
	if !regexp.MustCompile(`(?s)one\n.*Read a\.txt.*Read once\..*two\n.*Read b\.txt.*Read twice\.`).MatchString(shown) || strings.Count(shown, "**Read ") != 2 {
		t.Errorf("the chat shows %s", shown)
	}
	if said := b.must(t, `said or ""`); strings.Contains(shown+said, "the editor's tools") {
		t.Errorf("said is %s", said)
	}
}

// A Neovim that takes a session over has what its tools ask, and what they read is on its screen; the other has nothing of it any more, and
// the agent has one answer (behaviour 1584).
func TestToolsTakenOver(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "of the disk\n", ".agent": strings.Replace(toolScript, "< session/prompt", "< session/prompt\nwrite .here \"\"", 1)})
	is := func(of *toolbox, what string) {
		t.Helper()
		if err := of.wait(what); err != nil {
			t.Fatalf("%v\n%s", err, of.scene())
		}
	}
	item := []map[string]any{{"path": "a.txt", "line": 1, "text": "why?"}}
	const code = `(function()
		acp = require("nvim-acp")
		vim.cmd("edit a.txt")
		vim.fn.setline(1, "of the %s")
		vim.ui.select = function(items, _, done) done(items[1], 1) end
	end)()`
	b.must(t, fmt.Sprintf(code, "first"))
	b.must(t, `acp.prompt("work")`)
	is(b, `vim.uv.fs_stat(".here") ~= nil`)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "of the first\n")
	b.call(t, "annotate", map[string]any{"items": item})
	done := b.later(t, "ask", map[string]any{"question": "Which one?", "options": []string{"this", "that"}})

	other := &toolbox{dir: b.dir, client: b.client, editor: secondEditor(t, b.editor)}
	other.must(t, fmt.Sprintf(code, "second"))
	b.must(t, `vim.cmd("AcpDetach")`)
	is(b, `#acp.sessions() == 0`)
	b.must(t, `vim.cmd("AcpAttach")`)
	is(b, `#acp.sessions() == 1 and acp.status().pending == 1`)
	other.must(t, `acp.attach()`)
	is(other, `#acp.sessions() == 1 and acp.status().tools == "connected" and acp.status().pending == 1`)
	is(b, `#acp.sessions() == 0`)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "of the second\n")
	has(t, b.call(t, "annotate", map[string]any{"items": item, "replace": true}), "shows 1 annotation of yours")
	has(t, other.must(t, `#acp.annotations()`), "1")
	other.fill(t, "accept", `{ choice = "that" }`)
	if got := answered(t, done); got != "that failed:false <nil>" {
		t.Errorf("answered: %s", got)
	}
	is(other, `acp.status().pending == 0 and acp.status().state == "busy"`)
	is(b, `vim.fn.getbufline("a.txt", 1)[1] == "of the first"`)
}

// secondEditor starts another Neovim of the same user, with the same agent.
func secondEditor(t *testing.T, first *editor) *editor {
	t.Helper()
	out, err := first.lua(`vim.json.encode({ vim.fn.getcwd(), vim.fn.environ(), require("nvim-acp.config").options.agents.scripted })`)
	if err != nil {
		t.Fatal(err)
	}
	var env map[string]string
	var agent any
	var dir string
	if err := json.Unmarshal([]byte(out), &[]any{&dir, &env, &agent}); err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for name, value := range env {
		if !strings.HasPrefix(name, "NVIM") && !strings.HasPrefix(name, "VIM") {
			list = append(list, name+"="+value)
		}
	}
	e, err := startEditor(plugin(t), dir, list)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	if _, err := e.lua(`require("nvim-acp").setup({ agent = "scripted", agents = { scripted = ... } })`, agent); err != nil {
		t.Fatal(err)
	}
	return e
}
