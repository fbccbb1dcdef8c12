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
