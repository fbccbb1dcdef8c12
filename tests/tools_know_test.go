package tests

import (
	"fmt"
	"testing"
)

// know is Lua with a function that asks what the editor knows as the host does, and returns the answer, or the problem, as text. Paths are
// those in the folder. While it is worked out, it may give way so many times; on_breath is called each time.
const know = `
breaths, on_breath = 0, nil
(function()
	local tasks = require("nvim-acp.knowledge.task")
	local breathe = tasks.breathe
	tasks.breathe = function(task)
		breaths = breaths + 1
		if on_breath then on_breath(breaths) end
		return breathe(task)
	end
end)()
function text_of(value)
	if type(value) == "string" then return value end
	local text = vim.inspect(vim.deepcopy(value, true), { newline = "", indent = "", process = function(item, path)
		if path[#path] ~= vim.inspect.METATABLE then return item end
	end })
	return (text:gsub(vim.pesc(vim.fn.getcwd()), ""))
end
function know(module, name, args, within)
	breaths = 0
	local answer
	require("nvim-acp.knowledge.task").start(function(task)
		answer = text_of((require("nvim-acp.knowledge." .. module)[name](task, args)))
	end, function(problem) answer = "problem: " .. problem end, within)
	vim.wait(20000, function() return answer end, 1)
	return answer
end
`

// told runs Lua, and compares what it returns.
func (b *toolbox) told(t *testing.T, does, want string) {
	t.Helper()
	if got := b.must(t, "(function() "+does+" end)()"); got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", does, got, want)
	}
}

// What a language server proposes is taken as far as it means something, with the versions that its files had when it was asked
// (behaviours 317, 501).
func TestToolsProposed(t *testing.T) {
	b := newOdd(t, know+`
		vim.o.hidden = true
		vim.cmd("edit b.txt | edit a.txt")
		vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
		client = vim.lsp.get_clients({ bufnr = 0 })[1]
		function uri(name) return vim.uri_from_fname(vim.fn.getcwd() .. "/" .. name) end
		function buf(name) return vim.fn.bufnr(vim.fn.getcwd() .. "/" .. name) end
		at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }
		edit = { range = at, newText = "uno" }
		for name, tick in pairs({ ["a.txt"] = 0, ["b.txt"] = 2 }) do
			for _ = 1, tick do vim.api.nvim_buf_set_lines(buf(name), 0, -1, false, { "one" }) end
		end
		base = { a = vim.api.nvim_buf_get_changedtick(buf("a.txt")), b = vim.api.nvim_buf_get_changedtick(buf("b.txt")) }
		function rename(answer)
			odd["textDocument/rename"] = answer
			local text = know("changes", "rename", { path = vim.fn.getcwd() .. "/a.txt", symbol = "one", name = "uno" })
			text = text:gsub('"/b.txt"%] = ' .. base.b .. "}", '"/b.txt"] = its own}'):gsub('"/a.txt"%] = ' .. base.a .. "([,}])", '"/a.txt"] = its own%1')
			text = text:gsub('{newText = "uno",range = {%["end"%] = {character = 3,line = 0},start = {character = 0,line = 0}}}', "EDIT")
			return (text:gsub('edit = {', "", 1):gsub('},encoding = "utf%-16",', "; ", 1):gsub('server = .-,', "", 1))
		end`)
	const nothing = `problem: "odd\nserver" proposes a change that says neither where nor what`
	for _, test := range []struct{ answer, want string }{
		{`vim.NIL`, `problem: "odd\nserver" cannot rename one`},
		{`{}`, `{changes = {},documentChanges = {}; failed = {},ticks = {}}`},
		{`{ changes = "x", documentChanges = 7 }`, `{changes = {},documentChanges = {}; failed = {},ticks = {}}`},
		{`{ changes = { [uri("a.txt")] = { edit, vim.NIL, edit } } }`,
			`{changes = {["file:///a.txt"] = { EDIT, EDIT }},documentChanges = {}; failed = {},ticks = {["/a.txt"] = its own}}`},
		{`{ changes = { [uri("a.txt")] = {}, [uri("b.txt")] = { edit } } }`,
			`{changes = {["file:///a.txt"] = {},["file:///b.txt"] = { EDIT }},documentChanges = {}; failed = {},ticks = {["/a.txt"] = its own,["/b.txt"] = its own}}`},
		{`{ changes = { [uri("c.txt")] = { edit }, ["other:///a.txt"] = { edit } } }`,
			`{changes = {["file:///c.txt"] = { EDIT },["other:///a.txt"] = { EDIT }},documentChanges = {}; failed = {},ticks = {}}`},
		{`{ documentChanges = { { textDocument = { uri = uri("b.txt"), version = 3 }, edits = { edit } }, { textDocument = { uri = 7 }, edits = { edit } }, { edits = { edit } } } }`,
			`{changes = {},documentChanges = { {edits = { EDIT },textDocument = {uri = "file:///b.txt"}} }; failed = {},ticks = {["/b.txt"] = its own}}`},
		{`{ documentChanges = { { kind = "create", uri = uri("new.txt"), textDocument = { uri = uri("new.txt") } } } }`,
			`{changes = {},documentChanges = { {kind = "create"} }; failed = {},ticks = {}}`},
		{`{ documentChanges = { { kind = "delete", uri = uri("b.txt") }, { textDocument = { uri = uri("b.txt") }, edits = { edit } } } }`,
			`{changes = {},documentChanges = { {kind = "delete"}, {edits = { EDIT },textDocument = {uri = "file:///b.txt"}} }; failed = {},ticks = {["/b.txt"] = its own}}`},
		{`{ changes = { [uri("a.txt")] = { edit, { range = at } } } }`, nothing},
		{`{ changes = { [uri("a.txt")] = { { newText = "uno" } } } }`, nothing},
		{`{ changes = { [uri("a.txt")] = { { newText = "uno", range = { start = at.start } } } } }`, nothing},
		{`{ changes = { [uri("a.txt")] = { { newText = "uno", range = { ["end"] = at.start } } } } }`, nothing},
		{`{ changes = { [uri("a.txt")] = { { newText = "uno", range = { start = at.start, ["end"] = { line = "1" } } } } } }`, nothing},
		{`{ documentChanges = { { textDocument = { uri = uri("b.txt") }, edits = { { range = at, newText = 7 } } } } }`, nothing},
		// A file that changes while the server is asked has the version of before; one that is loaded meanwhile that of now.
		{`function() vim.api.nvim_buf_set_lines(buf("b.txt"), 0, 0, false, { "typed" }) return { changes = { [uri("b.txt")] = { edit } } } end`,
			`{changes = {["file:///b.txt"] = { EDIT }},documentChanges = {}; failed = {},ticks = {["/b.txt"] = its own}}`},
	} {
		b.told(t, "return rename("+test.answer+")", test.want)
	}
	b.told(t, `local text = rename(function() vim.fn.bufload(vim.fn.bufadd("c.txt")) return { changes = { [uri("c.txt")] = { edit } } } end)
		return text:match('ticks = {%["/c.txt"%] = (%d+)}') == tostring(vim.api.nvim_buf_get_changedtick(buf("c.txt")))`, "true")
	b.told(t, `client.offset_encoding = "utf-8" return know("changes", "rename", { path = vim.fn.getcwd() .. "/a.txt", symbol = "one", name = "uno" }):match('encoding = "(.-)"')`, "utf-8")

	for _, test := range []struct{ ticks, want string }{
		{``, "true"},
		{`["a.txt"] = 0`, "true"},
		{`["a.txt"] = 1`, "false"},
		{`["a.txt"] = 0, ["b.txt"] = 0`, "true"},
		{`["a.txt"] = 0, ["b.txt"] = -1`, "false"},
		{`["gone.txt"] = 0`, "false"},
	} {
		b.told(t, fmt.Sprintf(`local ticks = {}
			for name, by in pairs({ %s }) do
				local known = buf(name) > 0 and vim.api.nvim_buf_get_changedtick(buf(name)) or 1
				ticks[vim.fn.getcwd() .. "/" .. name] = known + by
			end
			return know("changes", "same", { ticks = ticks })`, test.ticks), test.want)
	}
}

// Of code actions those are offered that have a title and can be done now; one is found by its title, or by a part that no other has, and
// its edit is asked for where it has none yet. A command is named, and not run (behaviour 317).
func TestToolsActions(t *testing.T) {
	b := newOdd(t, know+`
		vim.cmd("edit a.txt")
		vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
		edit = { changes = { ["other:///x"] = {} } }
		function act(actions, title, resolved, line, last)
			asked = 0
			odd["textDocument/codeAction"] = actions
			odd["codeAction/resolve"] = function(action) asked = asked + 1 return resolved end
			local text = know("changes", "code_actions", { path = vim.fn.getcwd() .. "/a.txt", line = line or 1, last = last, title = title })
			return text:gsub([[server = '"odd\\nserver"']], "S"):gsub('{changes = {%["other:///x"%] = {}},documentChanges = {}}', "EDIT")
				:gsub('encoding = "utf%-16",', ""):gsub("failed = {},", ""):gsub(",ticks = {}", "") .. (asked > 0 and " asked " .. asked or "")
		end`)
	const (
		none  = `problem: no code action, or more than one, is called %q there`
		edits = `{edit = EDIT,S}`
	)
	for _, test := range []struct{ args, want string }{
		{`vim.NIL`, `{S,titles = {}}`},
		{`{ { title = "Fix" }, { title = 7 }, vim.NIL, { title = "No", disabled = { reason = "not now" } }, { title = "Mend" } }`, `{S,titles = { "Fix", "Mend" }}`},
		{`{ { title = "Fix" } }, ""`, `{S,titles = { "Fix" }}`},
		{`{ { title = "Fix", edit = edit }, { title = "Fix all", edit = 7 } }, "Fix"`, edits},
		{`{ { title = "Fix all", edit = 7 }, { title = "Fix", edit = edit } }, "Fix"`, edits},
		{`{ { title = "Fix all", edit = 7 }, { title = "Fix", edit = edit } }, "fix"`, fmt.Sprintf(none, "fix")},
		{`{ { title = "Fix all", edit = edit }, { title = "Mend", edit = 7 } }, "x A"`, edits},
		{`{ { title = "Fix (all)", edit = edit } }, "(a"`, edits},
		{`{ { title = "Fix", edit = edit } }, "Mend"`, fmt.Sprintf(none, "Mend")},
		{`{ { title = "No", edit = edit, disabled = { reason = "not now" } } }, "No"`, fmt.Sprintf(none, "No")},
		// Who has an edit is not asked for one; who has none and nothing to be asked by does something else.
		{`{ { title = "Fix", edit = edit, data = 1 } }, "Fix", { edit = 7 }`, edits},
		{`{ { title = "Fix", data = 1 } }, "Fix", { edit = edit }`, edits + " asked 1"},
		{`{ { title = "Fix", data = 1, command = "fix.all" } }, "Fix", { edit = edit }`, `{command = "fix.all",edit = EDIT,S} asked 1`},
		{`{ { title = "Fix", data = 1, command = "fix.all" } }, "Fix", { edit = edit, command = "fix.one" }`, `{command = "fix.one",edit = EDIT,S} asked 1`},
		{`{ { title = "Fix", data = 1 } }, "Fix", "x"`, `problem: "Fix" runs a command of "odd\nserver", which this tool does not do asked 1`},
		{`{ { title = "Fix", data = 1 } }, "Fix", { error = -32603, message = "broken" }`, `problem: "odd\nserver": broken asked 1`},
		{`{ { title = "Fix" } }, "Fix", { edit = edit }`, `problem: "Fix" runs a command of "odd\nserver", which this tool does not do`},
		{`{ { title = "Fix", edit = edit, command = { command = "fix.all" } } }, "Fix"`, `{command = "fix.all",edit = EDIT,S}`},
		{`{ { title = "Fix", edit = edit, command = "" } }, "Fix"`, edits},
		{`{ { title = "Fix", edit = edit, command = { command = "" } } }, "Fix"`, edits},
		{`{ { title = "Fix", edit = edit, command = { command = 7 } } }, "Fix"`, edits},
		{`{ { title = "Fix" } }, nil, nil, 1, 1`, `{S,titles = { "Fix" }}`},
		{`{ { title = "Fix" } }, nil, nil, 1, 0`, `{S,titles = { "Fix" }}`},
		{`{ { title = "Fix" } }, nil, nil, 1, 2`, `problem: there is no line 2, the file has 1`},
		{`{ { title = "Fix" } }, nil, nil, 2`, `problem: there is no line 2, the file has 1`},
	} {
		b.told(t, "return act("+test.args+")", test.want)
	}
	b.told(t, otherServer+`other["textDocument/codeAction"] = { error = -1 } odd["textDocument/codeAction"] = "never" other["textDocument/codeAction"] = {}
		return know("changes", "code_actions", { path = vim.fn.getcwd() .. "/a.txt", line = 1, title = "Fix" })`,
		fmt.Sprintf(none, "Fix")+`. The language server "odd\nserver" has not answered within 1 s: it may be busy. Try again later.`)
	b.told(t, `odd["textDocument/rename"], other["textDocument/rename"] = { changes = {} }, { documentChanges = {} }
		return know("changes", "rename", { path = vim.fn.getcwd() .. "/a.txt", symbol = "one", name = "uno" }):match("server = (.-),ticks")`,
		`'"odd\\nserver"'`)
	b.told(t, `odd["textDocument/rename"], other["textDocument/rename"] = "never", vim.NIL
		return know("changes", "rename", { path = vim.fn.getcwd() .. "/a.txt", symbol = "one", name = "uno" })`,
		`problem: other cannot rename one. The language server "odd\nserver" has not answered within 1 s: it may be busy. Try again later.`)
}

// Places, symbols and what is said of them are taken as far as they mean something, once each, and no more than a reader has use for
// (behaviours 501, 1492).
func TestToolsFound(t *testing.T) {
	b := newOdd(t, know+otherServer+`
		path = vim.fn.getcwd() .. "/a.txt"
		function at_line(first, last, name)
			return { uri = place(name or "b.txt").uri, range = { start = { line = first - 1 }, ["end"] = { line = (last or first) - 1 } } }
		end
		function link(first, last)
			return { targetUri = place("b.txt").uri, targetRange = at, targetSelectionRange = at_line(first, last).range }
		end
		function many(n, each)
			local list = {}
			for i = 1, n do list[i] = each(i) end
			return list
		end
		function sym(name, line, more)
			return vim.tbl_extend("force", { name = name, kind = 12, range = at_line(line).range }, more or {})
		end
		function short(text)
			text = text:gsub([[server = '"odd\\nserver", other']], "S"):gsub("failed = {},", "")
			text = text:gsub('homes = { "/c.txt", "/b.txt" }', 'homes = { "/b.txt", "/c.txt" }')
			return (text:gsub('kind = "Function",', ""):gsub("{last = (%d+),line = (%d+),path = (.-)}", "%3:%2-%1"))
		end
		function places(one, two, kind)
			kind = kind or "definition"
			odd["textDocument/" .. kind], other["textDocument/" .. kind] = one, two
			return short(know("symbols", "locations", { path = path, symbol = "one", kind = kind }))
		end
		function symbols(one, two)
			odd["textDocument/documentSymbol"], other["textDocument/documentSymbol"] = one, two
			return short(know("symbols", "list", { path = path }))
		end
		function search(one, two, named)
			odd["workspace/symbol"], other["workspace/symbol"] = one, two
			return short(know("symbols", "list", { query = "x", path = named and path }))
		end
		function hover(one, two, home, other_home)
			odd["textDocument/hover"], other["textDocument/hover"] = one and { contents = one }, two and { contents = two }
			odd["textDocument/definition"], other["textDocument/definition"] = home, other_home
			return short(know("symbols", "hover", { path = path, symbol = "one" }))
		end`)
	for _, test := range []struct{ does, want string }{
		{`places(vim.NIL, vim.NIL)`, `{count = 0,list = {},S}`},
		{`places(at_line(2, 3), vim.NIL)`, `{count = 1,list = { "/b.txt":2-3 },S}`},
		{`places(link(2, 3), { link(4, 5) })`, `{count = 2,list = { "/b.txt":2-3, "/b.txt":4-5 },S}`},
		{`places({ at_line(2), at_line(2) }, { at_line(2), at_line(2, 3), at_line(3, 3), at_line(2, 2, "c.txt") })`,
			`{count = 5,list = { "/b.txt":2-2, "/b.txt":2-2, "/b.txt":2-3, "/b.txt":3-3, "/c.txt":2-2 },S}`}, // what one sends twice is two
		{`places({ { uri = "jdt://x", range = at }, { uri = 7, range = at }, { uri = place("b.txt").uri }, { range = at } }, "x")`, `{count = 1,list = { "jdt://x":1-1 },S}`},
		{`places(many(501, at_line), many(502, at_line)):gsub("list = { .* },", "list,")`, `{count = 502,list,S}`},
		{`select(2, places(many(501, at_line)):gsub("b.txt", ""))`, "500"},
		{`symbols({ sym("one", 2), sym(7, 2), { name = "n" }, sym("two", 3, { detail = 7, kind = 99, range = at_line(3, 9).range }) }, vim.NIL)`,
			`{list = { {depth = 0,last = 2,line = 2,name = "one"}, {depth = 0,kind = "Symbol",last = 9,line = 3,name = "two"} },S}`},
		{`symbols({ sym("one", 2, { detail = "()", range = at_line(2, 9).range, selectionRange = at_line(4, 5).range }) }, "x")`,
			`{list = { {depth = 0,detail = "()",last = 9,line = 4,name = "one"} },S}`},
		{`symbols({ sym("one", 2, { range = false, location = at_line(3, 4) }), sym("two", 2, { range = false, location = 7 }) }, {})`,
			`{list = { {depth = 0,last = 4,line = 3,name = "one"} },S}`},
		{`symbols({ sym("one", 1, { children = { sym("in", 2, { children = { sym("deep", 3) } }), sym("in", 2) } }) }, { sym("one", 1, { children = { sym("in", 2), sym("new", 2) } }), sym("one", 2), sym("in", 2) })`,
			`{list = { {depth = 0,last = 1,line = 1,name = "one"}, {depth = 1,last = 2,line = 2,name = "in"}, {depth = 2,last = 3,line = 3,name = "deep"}, {depth = 1,last = 2,line = 2,name = "in"}, ` +
				`{depth = 0,last = 1,line = 1,name = "one"}, {depth = 1,last = 2,line = 2,name = "new"}, {depth = 0,last = 2,line = 2,name = "one"} },S}`},
		{`symbols({ sym("one", 1) }, { sym("one", 1, { kind = 13 }) }):gsub("^.*name = ", "")`, `"one"} },S}`},
		{`select(2, symbols(many(501, function(i) return sym("x" .. i, i) end), {}):gsub("depth", ""))`, "500"},
		{`select(2, symbols({ sym("a", 1, { children = many(501, function(i) return sym("x" .. i, i) end) }), sym("z", 1) }, {}):gsub("depth", ""))`, "500"},
		{`select(2, symbols(many(499, function(i) return sym("x" .. i, i) end), { sym("a", 1), sym("b", 1) }):gsub("depth", ""))`, "500"},
		{`search({ sym("one", 1, { location = at_line(2, 3) }), sym("two", 1, { location = { uri = place("c.txt").uri } }), sym("three", 1), sym(7, 1, { location = at_line(2) }) }, "x")`,
			`{list = { {depth = 0,last = 3,line = 2,name = "one",path = "/b.txt"}, {depth = 0,last = 1,line = 1,name = "two",path = "/c.txt"} },S}`},
		{`search({ sym("one", 1, { location = at_line(2), containerName = "Cart" }) }, { sym("one", 1, { location = at_line(2) }), sym("one", 1, { location = at_line(3), containerName = 7 }) })`,
			`{list = { {depth = 0,detail = "Cart",last = 2,line = 2,name = "one",path = "/b.txt"}, {depth = 0,last = 3,line = 3,name = "one",path = "/b.txt"} },S}`},
		{`search({ sym("one", 1, { location = at_line(2) }) }, {}, true)`, `{list = { {depth = 0,last = 2,line = 2,name = "one",path = "/b.txt"} },S}`},
		{`select(2, search(many(501, function(i) return sym("x" .. i, i, { location = at_line(i) }) end), many(2, function(i) return sym("y" .. i, i, { location = at_line(i) }) end)):gsub("depth", ""))`, "500"},
		{`select(2, search(many(499, function(i) return sym("x" .. i, i, { location = at_line(i) }) end), many(2, function(i) return sym("y" .. i, i, { location = at_line(i) }) end)):gsub("depth", ""))`, "500"},
		{`hover("said", "said", place("b.txt"), place("c.txt"))`, `{homes = { "/b.txt", "/c.txt" },S,text = "said"}`},
		{`hover("said", " ", place("b.txt"), place("c.txt"))`, `{homes = { "/b.txt" },S,text = "said"}`},
		{`hover({ vim.NIL, 7, "one", { language = "go", value = "two" } }, nil, vim.NIL, vim.NIL)`, "{homes = {},S,text = \"one\\n```go\\ntwo\\n```\"}"},
		{`hover(7, "said", { at_line(1), at_line(2) }, place("b.txt"))`, `{homes = { "/b.txt" },S,text = "said"}`},
		{`hover(nil, { kind = "markdown", value = "said\nit" }, "x", place("c.txt"))`, `{homes = { "/c.txt" },S,text = "said\nit"}`},
		{`#hover(("x"):rep(9000), nil):match("xx+")`, "8192"},
		{`hover("one", "two", { error = -1 }, place("c.txt"))`, `{homes = { "/c.txt" },S,text = "one\n\ntwo"}`},
		{`hover("one", "two", "never", place("c.txt"))`, `problem: The language server "odd\nserver" has not answered within 1 s: it may be busy. Try again later.`},
		{`hover("", "two", "never", place("c.txt"))`, `{homes = { "/c.txt" },S,text = "two"}`}, // who says nothing is not asked
	} {
		b.told(t, "return tostring(("+test.does+"))", test.want)
	}
	b.told(t, `local client = vim.lsp.get_clients({ name = "other" })[1] -- which knows no definitions
		client.server_capabilities = vim.tbl_extend("force", client.server_capabilities, { definitionProvider = false })
		return tostring(hover("", "two", place("b.txt"), place("c.txt")))`, `{homes = { "/b.txt" },S,text = "two"}`)
}
