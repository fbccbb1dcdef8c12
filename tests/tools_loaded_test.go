package tests

import (
	"strings"
	"testing"
)

// A file is loaded for its language server if it is a file, and not too large; for an agent in a sandbox only servers that are at work on
// such files in a folder above it look at it (behaviours 316, 697).
func TestToolsLoaded(t *testing.T) {
	b := newOdd(t, idle+`
		_G.servers, dir = servers, vim.fn.getcwd()
		vim.fn.mkdir("folder")
		vim.fn.mkdir(dir .. "x")
		for _, name in ipairs({ "c.txt", "d.txt", "e.lua", "f.txt" }) do vim.fn.writefile({ "one" }, name) end
		vim.fn.writefile({ "one" }, dir .. "x/g.txt")
		vim.fn.writefile({ ("x"):rep(1024 * 1024 - 1) }, "large.txt")
		vim.fn.writefile({ ("x"):rep(1024 * 1024) }, "larger.txt")
		function run_task(does, confined, within)
			local result
			require("nvim-acp.knowledge.task").start(function(task)
				task.confined = confined
				result = does(task)
			end, function(problem) result = "problem: " .. problem:gsub(vim.pesc(dir), "") end, within)
			vim.wait(20000, function() return result end, 1)
			return result
		end
		function load(name, confined)
			return run_task(function(task)
				local other, loaded = servers.buffer(task, name:sub(1, 1) == "/" and name or dir .. "/" .. name)
				local bo = vim.bo[other]
				return ("%s %s%s"):format(loaded, vim.api.nvim_buf_is_loaded(other) and #vim.lsp.get_clients({ bufnr = other, _uninitialized = true }) or "unloaded",
					bo.buflisted and " listed" or "")
			end, confined)
		end
		function clients(name, method, loaded, within)
			return run_task(function(task)
				local began = vim.uv.now()
				local list, reason, starting = servers.clients(task, vim.fn.bufnr(dir .. "/" .. name), method, loaded)
				took = vim.uv.now() - began
				return #list .. " " .. (reason or "none"):gsub("after .*", "after a while") .. (starting and " " .. starting or "")
			end, false, within)
		end
		function missing(name, reason) return servers.missing(vim.fn.bufnr(dir .. "/" .. name), "symbols", reason) end
		function starts(name, filetypes)
			return vim.lsp.start({ name = name, filetypes = filetypes, cmd = function()
				return { request = function() return true, 1 end, notify = function() return true end, is_closing = function() return false end, terminate = function() end }
			end }, { attach = false, reuse_client = function() return false end })
		end`)
	for _, test := range []struct{ does, want string }{
		{`return load("b.txt")`, "false 1 listed"},
		{`return load("c.txt")`, "true 1"},
		{`return load("c.txt")`, "false 1"},
		{`return load("none.txt")`, "problem: no such file: /none.txt"},
		{`return load("folder")`, "problem: no such file: /folder"},
		{`return load("no\nline.txt")`, `problem: no such file: "/no\nline.txt"`},
		{`return load("large.txt")`, "true 1"},
		{`return load("larger.txt")`, "problem: /larger.txt is not open and too large to be loaded: nothing is known of it"},
		{`return load("d.txt", true)`, "true 1"},
		{`return load("e.lua", true)`, "true 0"},
		{`return load(dir .. "x/g.txt", true)`, "true 0"},
		{`local load = require("nvim-acp.files.load")
			local unasked = load.unasked
			load.unasked = function() return false, "E1: odd\nstack" end
			local text = _G.load("f.txt")
			load.unasked = unasked
			return text`, "problem: /f.txt could not be loaded now: E1: odd"},

		// Buffers that are nobody's but the servers' are unloaded with their files.
		{`local path = dir .. "/c.txt"
			servers.release(path)
			local first = vim.fn.bufnr(path) > 0
			vim.fn.bufload(vim.fn.bufadd(path))
			servers.release(path)
			return tostring(first) .. tostring(vim.api.nvim_buf_is_loaded(vim.fn.bufnr(path)))`, "falsetrue"}, // it is not known any more

		{`return clients("a.txt", nil, false)`, "1 none"},
		{`known_as("hover") return clients("a.txt", "textDocument/definition", false)`, "0 none"},
		{`return clients("a.txt", "textDocument/hover", false)`, "1 none"},
		{`servers.waits.attach, servers.waits.start = 60, 60000 return clients("e.lua", nil, false) .. tostring(took < 60)`, "0 nonetrue"},
		{`return clients("e.lua", nil, true) .. tostring(took >= 60)`, "0 nonetrue"},
		{`servers.waits.attach = 60000 return clients("e.lua", nil, true, 60) .. tostring(took >= 40 and took < 30000)`, "0 nonetrue"},
		{`servers.waits.attach, servers.waits.start = 10, 60 starts("other type", { "text" }) return clients("e.lua", nil, true)`, "0 none"},
		{`starts("slow", { "lua" }) return clients("e.lua", nil, false) .. tostring(took >= 60)`, "0 The language server slow is still starting, after a while slowtrue"},
		{`starts("of any\ntype") return clients("e.lua", nil, false)`, `0 The language server slow, "of any\ntype" is still starting, after a while slow, "of any\ntype"`},
		{`servers.waits.attach = 150 local text = clients("e.lua", nil, true) return text .. tostring(took >= 210)`,
			`0 The language server slow, "of any\ntype" is still starting, after a while slow, "of any\ntype"true`},
		{`require("nvim-acp.knowledge.closed").begin("s")
			return know("diagnostics", "list", { path = dir .. "/e.lua", wait = 9000, session = "s" }):gsub(",missing = .*", "")`,
			`{count = 0,fresh = false,items = {},late = 'slow, "of any\\ntype" is still starting'`},

		{`return missing("a.txt")`, `The language server "odd\nserver" of a.txt has no symbols. Use your own search.`},
		{`return missing("e.lua")`, "No language server is attached to e.lua (filetype lua), so the editor knows no symbols. Use your own tools; " +
			"the user could enable a server for this filetype, see :help lsp-quickstart."},
		{`vim.bo[vim.fn.bufnr(dir .. "/e.lua")].filetype = "" return missing("e.lua"):match("%(.-%)")`, "(filetype none)"},
		{`return missing("a.txt", "why")`, "why"},
		{`return servers.name("a/b\nc")`, `"a/b\nc"`},
		{`return servers.name("a/b")`, `a/b`},
	} {
		b.told(t, test.does, test.want)
	}
	if rest := b.must(t, `vim.v.errmsg`); strings.TrimSpace(rest) != "" {
		t.Errorf("an error: %s", rest)
	}
}
