package tests

import "testing"

// A file may be closed, and its server end, while it is waited for: what is said then is that nothing is known, never an error of the
// editor's or that there are no problems (behaviours 501, 542).
func TestToolsAnswersGone(t *testing.T) {
	b := newOdd(t, idle+`
		times("silent stale_silent quiet")
		path = vim.fn.getcwd() .. "/b.txt"
		function diagnose(meanwhile, gentle)
			known_as("hover")
			asked, answers = {}, { function() vim.schedule(meanwhile) return "never" end }
			return know("diagnostics", "list", { path = path, wait = 500, session = "s", gentle = gentle })
		end
		function symbol(name, kind)
			known_as("hover", "definition")
			odd["textDocument/" .. kind] = function() vim.cmd("bwipeout! b.txt") return { contents = "said" } end
			return know("symbols", name, { path = path, symbol = "one", kind = kind })
		end`)
	const gone = "problem: the file was closed in the editor meanwhile: ask again"
	for _, test := range []struct{ does, want string }{
		{`diagnose(function() vim.cmd("bwipeout! b.txt") end)`, gone},
		{`diagnose(function() vim.cmd("bwipeout! b.txt") end, true)`, gone},
		{`diagnose(function() vim.cmd("bunload! b.txt") end)`,
			`{count = 0,ended = '"odd\\nserver" was detached',fresh = false,items = {},late = "its buffer is gone",servers = { '"odd\\nserver"' },settled = false}`},
		{`diagnose(function() odd.stop() end)`,
			`{count = 0,ended = '"odd\\nserver" has ended',fresh = false,items = {},servers = { '"odd\\nserver"' },settled = false}`},
		{`diagnose(function() odd.stop() end, true)`,
			`{count = 0,ended = '"odd\\nserver" has ended',fresh = false,items = {},servers = { '"odd\\nserver"' },settled = false}`},
		{`symbol("hover", "hover")`, gone},
		{`symbol("locations", "definition")`, `{count = 0,failed = {},list = {},server = '"odd\\nserver"'}`}, // it has answered
	} {
		b.told(t, `vim.cmd("silent! bwipeout! b.txt | edit b.txt | edit a.txt") buf = vim.fn.bufnr("b.txt") vim.wait(10000, function()
				client = vim.lsp.get_clients({ bufnr = buf })[1]
				return client and client.initialized
			end)
			require("nvim-acp.knowledge.closed").begin("s")
			return `+test.does, test.want)
	}
}

// Whatever there is much of, the editor is given way to after each of it (behaviour 314).
func TestToolsGiveWay(t *testing.T) {
	b := newOdd(t, idle+`
		vim.o.swapfile = false
		times("quiet silent stale_quiet stale_silent")
		known_as("hover", "definition", "documentSymbol")
		client.server_capabilities.workspaceSymbolProvider = true
		at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
		list = {}
		for i = 1, 30 do list[i] = { name = "s" .. i, kind = 12, range = at, uri = "file:///x" .. i, location = { uri = "file:///x" .. i, range = at } } end
		odd["textDocument/definition"], odd["textDocument/documentSymbol"], odd["workspace/symbol"] = list, list, list
		path = vim.fn.getcwd() .. "/a.txt"
		function breaths_of(module, name, args)
			local answer = know(module, name, vim.tbl_extend("keep", args, { session = "s" }))
			return answer:match("^problem.*") or breaths
		end
		function problems(n, severity)
			local found = {}
			for i = 1, n do found[i] = { lnum = i - 1, col = 0, message = "x", severity = severity } end
			vim.diagnostic.set(vim.api.nvim_create_namespace("x"), vim.fn.bufnr("a.txt"), found)
		end`)
	if err := b.wait(`#vim.lsp.get_clients({ name = "nvim-acp" }) == 1 and next(vim.lsp.get_clients({ name = "nvim-acp" })[1].attached_buffers)`); err != nil { // that of prompts
		t.Fatal(err)
	}
	for _, test := range []struct{ does, want string }{
		{`breaths_of("symbols", "locations", { path = path, symbol = "one", kind = "definition" })`, "30"},
		{`breaths_of("symbols", "list", { path = path })`, "30"},
		{`breaths_of("symbols", "list", { query = "s" })`, "30"},
		{`#vim.api.nvim_list_bufs() .. " " .. breaths_of("buffers", "list", {})`, "4 6"},
		{`breaths_of("watched", "tell", { changes = { { path = "/x", kind = 1 }, { path = "/y", kind = 3 }, { path = "/z", kind = 3 } } })`, "11"},
		{`breaths_of("watched", "tell", { changes = { { path = vim.fn.getcwd() .. "/x", kind = 1 }, { path = vim.fn.getcwd() .. "/y", kind = 2 } } })`, "7"},
		{`breaths_of("diagnostics", "served", { paths = { "/x.txt" } })`, "3"},
		{`breaths_of("diagnostics", "errors", {})`, "10"},
		{`breaths_of("diagnostics", "errors", { wait = 5000 })`, "12"},
		{`breaths_of("diagnostics", "list", { wait = 5000 })`, "5"},
		{`breaths_of("diagnostics", "list", { wait = 5000, path = path })`, "9"},
		{`(function() problems(3, 2) return breaths_of("diagnostics", "list", { wait = 5000, path = path }) end)()`, "10"},
		{`(function() problems(200, 2) return breaths_of("diagnostics", "list", { wait = 5000 }) end)()`, "16"},
		{`(function() problems(3, 1) return breaths_of("diagnostics", "errors", {}) end)()`, "11"},
	} {
		b.told(t, "return "+test.does, test.want)
	}
}

// Files may be closed at any moment while a question about all of them is worked out (behaviours 501, 542).
func TestToolsWipedMeanwhile(t *testing.T) {
	b := newOdd(t, idle+`
		vim.o.swapfile = false
		times("quiet silent stale_quiet stale_silent")
		known_as("hover")
		local count = 0
		function victim(kind) -- a file with problems, and one that has a server
			count = count + 1
			local other = vim.fn.bufadd(kind .. count .. ".txt")
			vim.fn.bufload(other)
			vim.bo[other].buflisted = true
			vim.bo[other].filetype = kind == "served" and "text" or ""
			vim.wait(10000, function() return kind ~= "served" or client.attached_buffers[other] end, 1)
			local found = {}
			for i = 1, 3 do found[i] = { lnum = 0, col = 0, message = "x", severity = i } end
			vim.diagnostic.set(vim.api.nvim_create_namespace("x"), other, found)
			return other
		end
		vim.diagnostic.set(vim.api.nvim_create_namespace("x"), 1, { { lnum = 0, col = 0, message = "x" } })
		function wiped(module, name, args)
			local list = {}
			for _, kind in ipairs({ "served", "linted" }) do
				local last, n, more = 0, 0, true
				while more do
					local other = victim(kind)
					n, more = n + 1, false
					on_breath = function(now)
						if now == n then
							more = true
							vim.cmd("silent! bwipeout! " .. other)
						end
					end
					local text = know(module, name, vim.tbl_extend("keep", args or {}, { session = "s" }))
					on_breath = nil
					if text:find("^problem") or text:find("buffer is gone") then table.insert(list, n .. text) end
					vim.cmd("silent! bwipeout! " .. other)
				end
				if n < 3 then table.insert(list, "never") end
			end
			return table.concat(list, ", ")
		end`)
	for _, question := range []string{
		`"buffers", "list"`, `"diagnostics", "errors"`, `"diagnostics", "errors", { wait = 2000 }`, `"diagnostics", "list", { wait = 2000 }`,
		`"diagnostics", "served", { paths = {} }`, `"watched", "tell", { changes = { { path = vim.fn.getcwd() .. "/x", kind = 1 } } }`,
	} {
		b.told(t, "return wiped("+question+")", "")
	}

	// The window in which the user works may go, too.
	b.told(t, `vim.cmd("split b.txt")
		local win = vim.api.nvim_get_current_win()
		on_breath = function(now) if now == 1 then vim.api.nvim_win_close(win, true) end end
		local text = know("buffers", "list", {})
		on_breath = nil
		return text:match("^problem.*") or text:match("current = true") or "nowhere"`, "nowhere")
}
