package tests

import "testing"

// The errors of before a turn are those of files whose text servers have answered for, or of which only a linter speaks; the errors of all
// files wait for each server (behaviours 321, 530, 537, 539).
func TestToolsErrors(t *testing.T) {
	b := newOdd(t, idle+`
		known_as("hover")
		ns = vim.api.nvim_create_namespace("linter")
		local function problem(severity, text) return { lnum = 0, col = 2, severity = severity, message = text, source = "lint", code = 7 } end
		function buffer(name, list, load)
			local other = vim.fn.bufadd(name)
			if load then vim.fn.bufload(other) end
			if list then vim.diagnostic.set(ns, other, list) end
			return other
		end
		vim.fn.writefile({ "one" }, "unloaded.lua")
		buffer("linted.lua", { problem(1, "bad"), problem(2, "odd") }, true)
		buffer("warned.lua", { problem(2, "odd") }, true)
		buffer("quiet.lua", nil, true)
		buffer("unloaded.lua", { problem(1, ("x"):rep(1001)) })
		buffer("gone.lua", { problem(1, "gone") })
		vim.bo[buffer("scratch.lua", { problem(1, "of no file") }, true)].buftype = "nofile"
		vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client.id), buf, { problem(1, "of b") })
		change("a.txt")
		function errors(given, args)
			asked, answers = {}, given or {}
			idle.brief = given and 30 or 5000
			local result
			require("nvim-acp.knowledge.task").start(function(task)
				result = require("nvim-acp.knowledge.diagnostics").errors(task, vim.tbl_extend("keep", args or {}, { session = "s" }))
			end, function(problem) result = problem end)
			vim.wait(20000, function() return result end, 1)
			if type(result) == "string" then return result end
			local function names(list)
				return table.concat(vim.tbl_map(function(path) return (vim.fs.basename(path):gsub("%..*", "")) end, list), " ")
			end
			open = result.open
			items = result.items
			return names(result.seen) .. "; " .. names(vim.tbl_map(function(file) return file.path end, open)) ..
				(result.late and "; " .. result.late or "") .. "; " .. table.concat(vim.tbl_map(function(item) return item.message:sub(1, 9) end, items), ", ")
		end`)
	const (
		open   = "b a linted warned quiet; "
		linted = "linted warned unloaded; " + open
		known  = "b a " + linted
	)
	for _, test := range []struct{ does, want string }{
		{`times("quiet silent") return errors()`, known + "of b, bad, xxxxxxxxx"},
		{`local list = {}
			for _, file in ipairs(open) do
				local other = vim.fn.bufnr(file.path)
				table.insert(list, tostring(file.modified == vim.bo[other].modified and file.tick == vim.api.nvim_buf_get_changedtick(other)))
			end
			return table.concat(list, " ") .. tostring(open[2].modified)`, "true true true true truetrue"},
		{`return text_of(items[2])`, `{code = "7",col = 3,line = 1,message = "bad",path = "/linted.lua",rank = 1,severity = "error",source = "lint"}`},
		{`return #items[3].message`, "1000"},
		{`return errors({ "never" })`, known + "of b, bad, xxxxxxxxx"}, // it has answered for these before
		{`change("b.txt") return errors({ "never" })`, linted + "bad, xxxxxxxxx"},
		{`return errors()`, known + "of b, bad, xxxxxxxxx"},
		{`work("begin") local text = errors() work("end") return text`, linted + "bad, xxxxxxxxx"},
		{`change("b.txt") return errors({ "never" }, { wait = 30 })`,
			"linted warned unloaded; " + open + `"odd\nserver" has not answered within 1 s; bad, xxxxxxxxx`},
		{`return errors({}, { wait = 9000 })`, known + "of b, bad, xxxxxxxxx"},
		{`idle.longest = 30 local text = errors({ "never" }, { wait = 9000 }) idle.longest = 60000 return text`,
			known + `"odd\nserver" has not answered within 1 s; of b, bad, xxxxxxxxx`},
		{`client.initialized = false local text = errors() client.initialized = true return text .. #asked`, "b " + linted + "of b, bad, xxxxxxxxx0"},

		// What a server says just as it is begun to be noted may be of a newer text.
		{`local tasks = require("nvim-acp.knowledge.task")
			local sleep, slept = tasks.sleep, 0
			tasks.sleep = function(task, ms, ...) if ms > 1000 then slept = slept + 1 ms = 1 end return sleep(task, ms, ...) end
			times() idle.quiet = 1e9
			errors()
			local at_work = slept
			client.initialized = false
			errors()
			client.initialized = true
			errors({}, { wait = 30 })
			times("quiet silent")
			errors()
			tasks.sleep = sleep
			return at_work .. slept`, "11"},

		{`vim.wait(10000, function() return #vim.lsp.get_clients({ name = "nvim-acp" }) == 1 end) -- that of prompts, which know no files
			return know("diagnostics", "served", { session = "s", paths = { "/x", "/x.txt", "/x.lua" } })`, `{ "/x.txt" }`},

		// A file that is not open is loaded for a server that is at work on such files, where only errors are asked for.
		{`vim.fn.writefile({ "one" }, "c.txt") vim.fn.writefile({ "one" }, "c.lua")
			return know("diagnostics", "list", { path = vim.fn.getcwd() .. "/c.txt", wait = 9000, gentle = true, session = "s" })`,
			`{count = 0,fresh = false,items = {},servers = { '"odd\\nserver"' },settled = true}`},
		{`return know("diagnostics", "list", { path = vim.fn.getcwd() .. "/c.lua", wait = 9000, gentle = true, session = "s" })`, "problem: it is not open"},
		{`return know("diagnostics", "list", { path = vim.fn.getcwd() .. "/c.lua", wait = 9000, session = "s" }):match("^{count = 0,fresh = false,items = {},missing")`,
			"{count = 0,fresh = false,items = {},missing"},

		// A turn begins with the question that does not wait.
		{`errors({}, { session = "waits", wait = 9000 }) errors({}, { session = "begins" }) later()
			vim.lsp.buf_detach_client(vim.fn.bufnr("a.txt"), client.id)
			local closed = require("nvim-acp.knowledge.closed")
			return text_of({ closed.types("waits"), closed.types("begins") })`, `{ {}, {txt = '"odd\\nserver" was detached'} }`},
		{`return know("diagnostics", "list", { path = "/x.lua", wait = 9000, gentle = true, session = "begins" })`, "problem: it is not open"},
		{`vim.lsp.buf_detach_client(buf, client.id) vim.lsp.buf_detach_client(vim.fn.bufnr("c.txt"), client.id) return know("diagnostics", "list", { path = "/x.txt", wait = 9000, gentle = true, session = "begins" })`,
			`{count = 0,ended = '"odd\\nserver" was detached',items = {},servers = {},settled = false}`},
		{`return know("diagnostics", "list", { path = vim.fn.getcwd() .. "/b.txt", wait = 9000, session = "begins" }):match('missing = (.-),servers')`,
			`'The language server "odd\\nserver" was detached: use your own tools.'`},
		{`return know("diagnostics", "list", { path = "/x.txt", wait = 9000, gentle = true, session = "waits" })`, "problem: it is not open"},
		{`return know("diagnostics", "list", { path = vim.fn.getcwd() .. "/warned.lua", wait = 9000, gentle = true, session = "s" }):gsub(',missing = ".*"', "")`,
			`{count = 0,fresh = false,items = {},servers = {},settled = false}`},
	} {
		b.told(t, test.does, test.want)
	}
}

// Of the problems of all files the first ones of each kind are told, the worst before others; servers that are at work are waited for last
// (behaviours 316, 541).
func TestToolsErrorsMany(t *testing.T) {
	b := newOdd(t, idle+otherServer+`
		times("quiet silent stale_silent stale_quiet")
		idle.longest = 200
		function many(name, n, severity)
			local list = {}
			for i = 1, n do list[i] = { lnum = 0, col = 0, severity = severity, message = "x" } end
			vim.diagnostic.set(vim.api.nvim_create_namespace(name .. severity), vim.fn.bufnr(name), list)
		end
		(function()
			local iter = require("nvim-acp.knowledge.iter")
			local each = iter.each
			iter.each = function(task, buf, severity, most, till, found, whole)
				return each(task, buf, severity, most, till, function(d) read = read + 1 found(d) end, whole)
			end
		end)()
		function list(args)
			read = 0
			local text = know("diagnostics", "list", vim.tbl_extend("keep", args or {}, { wait = 5000, session = "s" }))
			local _, errors = text:gsub('rank = 1', "")
			local _, warnings = text:gsub('rank = 2', "")
			return errors .. "+" .. warnings .. " of " .. text:match("count = (%d+)") .. ", read " .. read .. ", " .. (text:match("servers = {.-}") or text)
				.. (text:match("late = (.-),") or "")
		end
		known_as("hover")`)
	const both = `, servers = { '"odd\\nserver"', "other" }`
	for _, test := range []struct{ does, want string }{
		{`return list()`, "0+0 of 0, read 0" + both},
		{`many("a.txt", 300, 2) many("b.txt", 300, 2) return list()`, "0+400 of 600, read 400" + both},
		{`many("b.txt", 300, 1) return list()`, "300+100 of 900, read 700" + both},
		{`many("a.txt", 101, 1) return list()`, "400+0 of 1001, read 800" + both},
		{`return list({ path = vim.fn.getcwd() .. "/a.txt" })`, "101+299 of 401, read 401" + both},
		{`return list({ path = vim.fn.getcwd() .. "/a.txt", gentle = true })`, "101+0 of 101, read 101" + both},
		{`work("begin") return list()`, "400+0 of 1001, read 800" + `, servers = { "other", '"odd\\nserver"' }'"odd\\nserver" is still at work'`},
		{`work("end") change("a.txt") return list()`, "400+0 of 1001, read 800" + both},
	} {
		b.told(t, test.does, test.want)
	}
}
