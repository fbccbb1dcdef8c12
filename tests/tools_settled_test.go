package tests

import (
	"strings"
	"testing"
)

// errorsNow is the Lua expression of the files whose errors are known as a turn begins, sorted, and how many errors that are. It is
// nil until that is known.
const errorsNow = `(function()
	if not started then
		started = require("nvim-acp.knowledge.task").start(function(task)
			known = require("nvim-acp.knowledge.diagnostics").errors(task, { session = "s" })
		end, error)
	end
	if not known then return nil end
	local names = vim.tbl_map(vim.fs.basename, known.seen)
	table.sort(names)
	return table.concat(names, " ") .. ": " .. #known.items
end)()`

// What a language server had said before the first chat is known when the first turn begins (behaviour 538), as far as there are not
// more errors than are compared: a file of which some would be left out is none whose errors are known (behaviour 537).
func TestToolsErrorsBefore(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n"}, oddServer, `(function()
		local at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
		local function many(n)
			return vim.tbl_map(function(i) return { range = at, severity = 1, message = "number " .. i } end, vim.fn.range(n))
		end
		for name, n in pairs({ ["a.txt"] = 450, ["b.txt"] = 1200, ["c.txt"] = 2 }) do
			vim.cmd("edit " .. name)
			vim.wait(10000, function() return odd.say and #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
			odd.told = {}
			vim.api.nvim_buf_set_lines(0, 0, 0, false, { "more" })
			vim.wait(10000, function() return odd.told["textDocument/didChange"] end)
			odd.say("textDocument/publishDiagnostics", { uri = vim.uri_from_bufnr(0), diagnostics = many(n) })
			vim.wait(10000, function() return #vim.diagnostic.get(0) == n end)
			vim.cmd("silent write")
		end
		local settled = require("nvim-acp.knowledge.idle")
		settled.quiet, settled.brief = 0, 10000
	end)()`)
	if got := b.must(t, `(function() vim.wait(10000, function() return `+errorsNow+` ~= nil end, 10) return `+errorsNow+` end)()`); got != "a.txt c.txt: 452" {
		t.Errorf("known are %q", got)
	}
	b.must(t, `odd.say("textDocument/publishDiagnostics", { uri = "file:///later", diagnostics = {} })`)
	if err := b.wait(`require("nvim-acp.knowledge.diagnostics_log").of(vim.lsp.get_clients({ bufnr = vim.fn.bufnr("a.txt") })[1].id).said["/later"]`); err != nil {
		t.Error("what it says now is not noted")
	}
}

// A language server that answers the question for diagnostics with an error has not said that there are none (behaviour 540).
func TestToolsPullFails(t *testing.T) {
	b := newOdd(t, `odd.initialize.capabilities.diagnosticProvider = { interFileDependencies = true, workspaceDiagnostics = false }
		odd["textDocument/diagnostic"] = { error = -32603, message = "internal\nerror" }`)
	got := b.call(t, "diagnostics", map[string]any{"path": "b.txt"})
	if has(t, got, `Not settled: "odd\nserver" could not say: "internal\nerror". This may not be all`); strings.Contains(got, "no problems") {
		t.Errorf("got %q", got)
	}
}

// Of a language server that is asked for diagnostics and also sends some by itself, these are waited for too (behaviour 540).
func TestToolsPullPush(t *testing.T) {
	b := newOdd(t, `local settled = require("nvim-acp.knowledge.idle")
		settled.silent, settled.stale_silent = 60000, 60000
		odd.initialize.capabilities.diagnosticProvider = { interFileDependencies = true, workspaceDiagnostics = false }
		local at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
		local function push(message)
			odd.say("textDocument/publishDiagnostics",
				{ uri = vim.uri_from_fname(vim.fn.getcwd() .. "/a.txt"), diagnostics = { { range = at, severity = 1, message = message } } })
		end
		local pushed, after = "first", 10
		odd["textDocument/diagnostic"] = function()
			vim.defer_fn(function() push(pushed) end, after)
			return { kind = "full", items = {} }
		end
		function later() pushed, after = "second", 1000 end`)
	b.must(t, `vim.cmd("edit a.txt")`)
	b.call(t, "diagnostics", map[string]any{"path": "a.txt"})
	if err := b.wait(`#vim.diagnostic.get(0) == 1`); err != nil {
		t.Fatal(err)
	}
	b.must(t, `(function() later() vim.fn.setline(1, "two") end)()`)
	has(t, b.call(t, "diagnostics", map[string]any{"path": "a.txt"}), "a.txt:1:1: error: second")
}

// A file that is closed while all files are looked at is left out, and nothing else is (behaviour 542).
func TestToolsWiped(t *testing.T) {
	b := newOdd(t, `local settled, wiped = require("nvim-acp.knowledge.idle"), false
		settled.silent = 300
		local wait = settled.wait
		settled.wait = function(task, buf, ...)
			if not wiped then
				wiped = true
				vim.schedule(function() vim.cmd("edit c.txt | edit d.txt | bwipeout! " .. buf) end)
			end
			return wait(task, buf, ...)
		end`)
	b.must(t, `(function() vim.o.hidden = true vim.cmd("edit a.txt | edit b.txt") end)()`)
	if err := b.wait(`#vim.lsp.get_clients({ bufnr = 0 }) == 1`); err != nil {
		t.Fatal(err)
	}
	got := b.call(t, "diagnostics", nil)
	if has(t, got, "no problems in the open files"); strings.Contains(got, "Not settled") {
		t.Errorf("got %q", got)
	}
}

// Of very many diagnostics Neovim copies no more at once than a few, and the agent is told how many there are (behaviour 541).
func TestToolsManyDiagnostics(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": strings.Repeat("one\n", 3000)})
	b.must(t, `(function()
		vim.cmd("edit a.txt")
		local list = {}
		for i = 1, 3000 do
			list[i] = { lnum = i - 1, col = 0, message = "number " .. i, severity = i > 2900 and 1 or 2 }
		end
		vim.diagnostic.set(vim.api.nvim_create_namespace("many"), 0, list)
		local get = vim.diagnostic.get
		vim.diagnostic.get = function(...)
			local found = get(...)
			most = math.max(most or 0, #found)
			return found
		end
	end)()`)
	for _, args := range []map[string]any{nil, {"path": "a.txt"}} {
		got := b.call(t, "diagnostics", args)
		has(t, got, "a.txt:2901:1: error: number 2901\n", "a.txt:1:1: warning: number 1\n", "and 2600 more")
		if n := strings.Count(got, ": error: "); n != 100 {
			t.Errorf("got %d errors of 100", n)
		}
	}
	if got := b.must(t, `tostring(most <= 100)`); got != "true" {
		t.Errorf("copied at once: %s", b.must(t, `tostring(most)`))
	}
}

// Diagnostics are read from the first line on, as many as are asked for, and where all of them are needed, all or none: also where there are
// so many that they are read line by line, and the time is over before that (behaviours 537, 541).
func TestToolsDiagnosticsRead(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": strings.Repeat("one\n", 300)})
	b.must(t, `(function()
		vim.cmd("edit a.txt")
		local ns, iter = vim.api.nvim_create_namespace("read"), require("nvim-acp.knowledge.iter")
		function set(n)
			local list = {}
			for i = n, 1, -1 do -- two in a line, and one that goes on
				table.insert(list, { lnum = math.floor((i - 1) / 2), end_lnum = math.max(299, math.floor((i - 1) / 2)), col = 0, message = tostring(i), severity = 1 })
			end
			table.insert(list, { lnum = 0, col = 0, message = "a warning", severity = 2 })
			vim.diagnostic.set(ns, 0, list)
		end
		function read(most, after, only_whole, buf)
			local result
			require("nvim-acp.knowledge.task").start(function(task)
				local lines, found = {}, 0
				local count, whole = iter.each(task, buf or vim.api.nvim_get_current_buf(), 1, most, vim.uv.now() + after, function(d)
					found = found + 1
					lines[d.lnum] = (lines[d.lnum] or 0) + 1
				end, only_whole)
				result = ("%d %s %d in %d"):format(count, whole, found, vim.tbl_count(lines))
			end, function(problem) result = problem end)
			vim.wait(20000, function() return result end, 1)
			return result
		end
	end)()`)
	for _, test := range []struct{ does, want string }{
		{`set(0) return read(10, 9999)`, "0 true 0 in 0"},
		{`set(3) return read(10, 9999)`, "3 true 3 in 2"},
		{`set(3) return read(3, 9999, true)`, "3 true 3 in 2"},
		{`set(3) return read(2, 9999, true)`, "3 false 0 in 0"},
		{`set(3) return read(0, 9999)`, "3 false 0 in 0"},
		{`set(3) return read(3, 9999, true, 9999)`, "0 true 0 in 0"},
		{`set(100) return read(500, -1, true)`, "100 true 100 in 50"}, // at once
		{`set(101) return read(500, 9999, true)`, "101 true 101 in 51"},
		{`set(101) return read(101, 9999, true)`, "101 true 101 in 51"},
		{`set(101) return read(100, 9999, true)`, "101 false 0 in 0"},
		{`set(101) return read(500, 0, true)`, "101 false 0 in 0"},
		{`set(599) return read(21, 9999)`, "599 true 21 in 11"},
		{`set(600) return read(600, 9999, true)`, "600 true 600 in 300"},
		{`set(602) return read(602, 9999, true)`, "602 true 602 in 301"}, // behind the last line, too
	} {
		if got := b.must(t, `(function() `+test.does+` end)()`); got != test.want {
			t.Errorf("%s: got %s, want %s", test.does, got, test.want)
		}
	}
}
