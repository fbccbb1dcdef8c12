package tests

import (
	"strings"
	"testing"
)

// problems gives diagnostics to buffers of every kind, also such as are not those of a file's text.
const problems = `(function()
	local ns, lines = vim.api.nvim_create_namespace("problems"), {}
	local idle = require("nvim-acp.knowledge.idle")
	idle.quiet, idle.silent, idle.stale_silent = 10, 30, 30
	vim.o.hidden = true
	local function set(name, list)
		local buf = vim.fn.bufadd(name)
		vim.diagnostic.set(ns, buf, vim.tbl_map(function(d)
			return { lnum = d[1] - 1, col = d[2] - 1, severity = d[3], message = d[4], source = d[5], code = d[6] }
		end, list))
		return buf
	end
	vim.cmd("edit b.txt | edit a.txt")
	vim.api.nvim_buf_set_lines(0, 0, -1, false, { "one", "two", "three" })
	set("a.txt", { { 1, 1, 4, "a hint" }, { 3, 2, 1, "third", "lint", "E7" }, { 2, 3, 1, "second\nof two lines", nil, 8 }, { 1, 1, 2, "a warning", "lint" }, { 1, 2, 3, "a note" } })
	set("b.txt", { { 1, 1, 1, ("x"):rep(1001) }, { 1, 2, 2, "another" } })
	set("unloaded.txt", { { 1, 1, 1, "of a file that is there" } })
	set("gone.txt", { { 1, 1, 1, "of a file that is gone" } })
	vim.bo[set("scratch.txt", { { 1, 1, 1, "of no file" } })].buftype = "nofile"
	set("zipfile:///a", { { 1, 1, 1, "of a file elsewhere" } })
	vim.fn.bufload(set("scheme:///a", { { 1, 1, 1, "of what is no file" } }))
	vim.diagnostic.set(ns, vim.api.nvim_create_buf(true, false), { { lnum = 0, col = 0, message = "of no name" } })
end)()`

// The problems of all files are those of files that are there, the worst first, by files and lines; those of one file are its own
// (behaviour 316).
func TestToolsProblems(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "unloaded.txt": "one\n"})
	b.must(t, problems)
	const none = "No language server runs in the editor, so nothing is known of problems. Name a file to have its server started.\n"
	own := "a.txt:2:3: error: second\n  of two lines (8)\na.txt:3:2: error: third (lint E7)\na.txt:1:1: warning: a warning (lint)\n" +
		"a.txt:1:2: info: a note\na.txt:1:1: hint: a hint\n"
	x := strings.Repeat("x", 1000)
	all := "a.txt:2:3: error: second\n  of two lines (8)\na.txt:3:2: error: third (lint E7)\nb.txt:1:1: error: " + x + "\n" +
		"unloaded.txt:1:1: error: of a file that is there\na.txt:1:1: warning: a warning (lint)\nb.txt:1:2: warning: another\n" +
		"a.txt:1:2: info: a note\na.txt:1:1: hint: a hint\n"
	said := func(args map[string]any, want string) {
		t.Helper()
		if got := b.call(t, "diagnostics", args); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	said(nil, all+none)
	said(map[string]any{"path": "a.txt"}, own+"No language server is attached to a.txt (filetype text), so the editor knows no diagnostics. Use your own tools; "+
		"the user could enable a server for this filetype, see :help lsp-quickstart.\n")

	b.must(t, oddServer+`vim.cmd("doautocmd FileType text | buffer b.txt | doautocmd FileType text | buffer a.txt")`)
	if err := b.wait(`#vim.lsp.get_clients({ bufnr = vim.fn.bufnr("b.txt") }) == 1`); err != nil {
		t.Fatal(err)
	}
	said(nil, all+"Looked at 2 open files: a.txt, b.txt. Of other files only what servers have reported by themselves is here: that may not be all. Name a file to have it looked at.\n")
	said(map[string]any{"path": "a.txt"}, own)
	b.must(t, `vim.diagnostic.reset()`)
	said(map[string]any{"path": "a.txt"}, `"odd\nserver": no problems in a.txt.`+"\n")
	said(nil, `"odd\nserver": no problems in the open files.`+"\nLooked at 2 open files: a.txt, b.txt. Of other files only what servers have reported by themselves is here: that may not be all. Name a file to have it looked at.\n")
	b.must(t, `(function() odd["textDocument/hover"] = "never" require("nvim-acp.knowledge.idle").longest = 1200 vim.api.nvim_buf_set_lines(0, 0, 0, false, { "" }) end)()`)
	said(nil, `Not settled: "odd\nserver" has not answered within 1 s. This may not be all; ask again later.`+"\nLooked at 2 open files: a.txt, b.txt. Of other files only what servers have reported by themselves is here: that may not be all. Name a file to have it looked at.\n")
}
