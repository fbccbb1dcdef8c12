package tests

import "testing"

// idle is Lua with functions that wait for a language server, as long as settings say; times are forever but for those that are given.
const idle = barrier + `
idle = require("nvim-acp.knowledge.idle")
function h() return log.of(client.id) end
function times(short)
	for _, name in ipairs({ "quiet", "silent", "stale_quiet", "stale_silent" }) do
		idle[name] = short and short:find("%f[%w_]" .. name .. "%f[^%w_]") and 0 or 60000
	end
end
function later() vim.uv.sleep(2) vim.uv.update_time() end
function run(does)
	later()
	asked, answers, odd.told = {}, {}, {}
	local result
	require("nvim-acp.knowledge.task").start(function(task) result = does(task) end, function(problem) result = "problem: " .. problem end)
	vim.wait(10000, function() return result end, 1)
	return result .. (#asked > 0 and ": " .. table.concat(asked, " ") or "")
end
function wait(within)
	return run(function(task)
		local settled, late = idle.wait(task, buf, { client }, within or 30)
		return tostring(settled) .. (late and within and " " .. late or "") -- else it depends on the machine
	end)
end
function ask(given)
	return run(function(task)
		answers = given or {}
		return idle.joined(idle.ask(task, { { client = client, buf = buf } }, vim.uv.now() + 9000)) or "in time"
	end)
end
function say(name, version)
	later()
	local uri = vim.uri_from_fname(vim.fn.getcwd() .. "/" .. name)
	odd.say("textDocument/publishDiagnostics", { uri = uri, version = version, diagnostics = {} })
	local heard
	vim.schedule(function() heard = true end)
	vim.wait(10000, function() return heard end, 1)
end
function work(kind) odd.say("$/progress", { token = 1, value = { kind = kind, title = "Reading" } }) end
function change(name)
	later()
	local seq, other = h().seq, vim.fn.bufnr(name)
	vim.api.nvim_buf_set_lines(other, 0, 0, false, { "more" })
	vim.wait(10000, function() return h().seq > seq end, 1)
end
function is_known() return idle.is_known(buf, { client }) end
`

// When a language server has said all of a text, and when that is known without asking, depends on what it was told and has said last
// (behaviours 530, 540).
func TestToolsIdle(t *testing.T) {
	b := newOdd(t, idle)
	full := `{ kind = "full", items = {} }`
	for _, test := range []struct{ does, want string }{
		// Diagnostics that are asked for are complete with the answer, unless it sends some by itself.
		{`known_as("diagnostic") answers = {} odd["textDocument/diagnostic"] = function(params)
			if params.textDocument.uri == vim.uri_from_bufnr(buf) then table.insert(asked, "pull") end
			return ` + full + ` end return is_known()`, "false"},
		{`times("quiet") return wait(9000)`, "true: pull"},
		{`times() return wait(9000)`, "true: pull"}, // it has never said anything
		{`return is_known()`, "true"},
		{`change("b.txt") return is_known()`, "false"},
		{`return wait(9000)`, "true: pull"},
		{`change("b.txt") h().versions = { [buf] = 0 } h().texts[log.name(buf)] = nil
			vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client.id), buf, { { lnum = 0, col = 0, message = "of before" } })
			return wait()`, "false: pull"}, // it has said something before it was known
		{`h().versions = nil change("b.txt") say("a.txt") return wait()`, "false: pull"},
		{`times("silent") return wait(9000)`, "true: pull"},

		// Others are complete after a silence, and stay so.
		{`known_as("hover") change("b.txt") times() return wait()`, "false: hover"},
		{`times("silent") return wait(9000)`, "true: hover"},
		{`times("quiet") return wait(9000)`, "true: hover"}, // it was complete
		{`times() return wait(9000)`, "true: hover"},
		{`say("b.txt") return wait()`, "false: hover"},
		{`times("quiet") return wait(9000)`, "true: hover"},
		{`change("a.txt") return wait(500)`, `false "odd\nserver" has not settled: hover`}, // what it has said is of before that
		{`times("stale_quiet") return wait()`, "false: hover"},
		{`say("a.txt") times("stale_quiet") return wait(9000)`, "true: hover"},
		{`change("a.txt") times("stale_silent") return wait(9000)`, "true: hover"},

		// A server that has worked meanwhile may have more to say.
		{`times("silent quiet") change("b.txt") return ask()`, "in time: hover"},
		{`return is_known()`, "true"},
		{`work("begin") return is_known()`, "false"},
		{`return wait(50)`, `false "odd\nserver" is still at work`},
		{`work("end") return is_known()`, "false"},
		{`ask() return is_known()`, "true"},
		{`return ask({ function()
			local answer = odd.answer
			vim.schedule(function() answer(nil, vim.NIL) work("begin") work("end") end)
			return "never"
		end })`, "in time: hover"},
		{`return is_known()`, "false"},
		{`ask() return is_known()`, "true"},
		{`work("begin") work("end") return is_known()`, "true"}, // by what it has answered
		{`times("stale_silent") return wait(9000)`, "true: hover"},

		// What is not complete is taken as such after a silence in which it was told nothing either.
		{`change("b.txt") say("b.txt") change("a.txt") ask() times("silent quiet") return is_known()`, "true"},
		{`times("silent") return is_known()`, "false"},
		{`times("quiet") return is_known()`, "false"},

		{`return tostring(idle.joined({}))`, "nil"},
		{`return idle.joined({ [3] = "b", [7] = "a", [9] = "b" })`, "a, b"},
		{`return tostring((idle.at_work({ { name = "none" }, { name = "idle", progress = { pending = {} } } })))`, "nil"},
		{`return idle.at_work({ { name = "idle", progress = { pending = {} } }, { name = "first", progress = { pending = { 1 } } }, { name = "second", progress = { pending = { 1 } } } })`, "first"},

		{`return ask({ function() vim.schedule(function() vim.cmd("bwipeout! " .. buf) end) return vim.NIL end })`, "in time: hover"},
		{`buf = vim.fn.bufnr("a.txt") vim.cmd("enew | bunload! a.txt") return wait(50)`, `false its buffer is gone`},
	} {
		b.told(t, test.does, test.want)
	}
}

// What a language server is told, says and answers is noted by file, and what it says means the text that it names, else the last one that
// it was told of (behaviour 530).
func TestToolsNoted(t *testing.T) {
	b := newOdd(t, idle+`
		a, b = log.name(vim.fn.bufnr("a.txt")), log.name(buf)
		function version(name) return log.version(vim.fn.bufnr(name)) end
		function fresh() return log.is_fresh(h(), buf, b) end
		function last()
			local found = log.last(h(), buf, b)
			return found and (found.version or "none") .. (found.at == h().began and " of before" or "") or "nothing"
		end
		function noted(does) -- what of it has changed
			local was = vim.deepcopy(h())
			later()
			does()
			vim.wait(20)
			local is, list = h(), {}
			for _, name in ipairs({ "seq", "works" }) do
				if is[name] ~= was[name] then table.insert(list, name .. " +" .. is[name] - was[name]) end
			end
			for _, name in ipairs({ "at", "other", "heard" }) do
				if is[name] ~= was[name] then table.insert(list, name .. (is[name] == was.at and " as at was" or " now")) end
			end
			if is.name ~= was.name then table.insert(list, "name " .. vim.fs.basename(is.name or "none")) end
			for _, name in ipairs({ "texts", "said", "settled", "pulled" }) do
				for file in vim.spairs(vim.tbl_extend("keep", {}, is[name], was[name])) do
					local now, before = is[name][file], was[name][file]
					if not vim.deep_equal(now, before) then
						table.insert(list, name .. " " .. vim.fs.basename(file) .. (now == nil and " gone" or ""))
					end
				end
			end
			return table.concat(list, ", ")
		end
		function notify(method, params)
			if vim.fn.has("nvim-0.11") == 1 then client:notify(method, params) else client.notify(method, params) end
		end
		function publish(fields)
			odd.say("textDocument/publishDiagnostics", vim.tbl_extend("force", { uri = vim.uri_from_fname(b), diagnostics = {} }, fields))
		end`)
	for _, test := range []struct{ does, want string }{
		{`(function() change("b.txt") return noted(function() change("b.txt") end) end)()`, "seq +1, at now, texts b.txt"},
		{`noted(function() change("a.txt") end)`, "seq +1, at now, other as at was, name a.txt, texts a.txt"},
		{`noted(function() change("a.txt") end)`, "seq +1, at now, texts a.txt"},
		{`noted(function() change("b.txt") end)`, "seq +1, at now, other as at was, name b.txt, texts b.txt"},
		{`noted(function() log.told(client.id) end)`, "seq +1, at now, other now, name none"},
		{`noted(function() change("b.txt") end)`, "seq +1, at now, name b.txt, texts b.txt"},
		{`noted(function() notify("workspace/didChangeWatchedFiles", { changes = {} }) end)`, "seq +1, at now, other now, name none"},
		{`noted(function() notify("workspace/didChangeConfiguration", { settings = {} }) end)`, ""},
		{`noted(function() vim.cmd("sbuffer b.txt | silent write | close") end)`, ""}, // the text is the same
		{`noted(function() work("begin") end)`, "works +1"},
		{`noted(function() work("report") end)`, ""},
		{`noted(function() work("end") end)`, "works +1"},

		{`last()`, "nothing"},
		{`fresh()`, "false"},
		{`noted(function() publish({}) end)`, "heard now, said b.txt"},
		{`last() == tostring(version("b.txt"))`, "true"},
		{`fresh()`, "true"},
		{`(function() change("b.txt") vim.wait(20) return fresh() end)()`, "false"},
		{`(function() publish({ version = version("b.txt") }) vim.wait(20) return fresh() end)()`, "true"},
		{`(function() publish({ version = version("b.txt") - 1 }) vim.wait(20) return fresh() end)()`, "false"},
		{`last() == tostring(version("b.txt") - 1)`, "true"},
		{`(function() publish({ version = "odd" }) vim.wait(20) return fresh() end)()`, "true"},
		{`(function() later() change("a.txt") vim.wait(20) return fresh() end)()`, "false"}, // it may say something else now
		{`(function() later() publish({}) vim.wait(20) return fresh() end)()`, "true"},
		{`noted(function() publish({ uri = vim.uri_from_fname("/other") }) end)`, "heard now, said other"},
		{`noted(function() pcall(publish, { uri = "no uri" }) end)`, "heard now, said "},
		{`noted(function() pcall(publish, { uri = 7 }) end)`, ""},
		{`noted(function() pcall(odd.say, "textDocument/publishDiagnostics", 7) end)`, ""},

		{`(function() h().settled[b], h().pulled[b] = 1, 1 return noted(function() vim.cmd("bunload! b.txt") end) end)()`,
			"seq +1, at now, other as at was, name b.txt, texts b.txt gone, said b.txt gone, settled b.txt gone, pulled b.txt gone"},
		{`last()`, "nothing"},
		{`(function() publish({}) vim.wait(20) return last() end)()`, "none"}, // of the file on the disk
		{`fresh()`, "true"},
		{`(function() h().texts[b] = { version = 1 } return fresh() end)()`, "false"},

		// What it had said before it was known is of the text of then.
		{`(function()
			h().said, h().texts, h().versions = {}, {}, {}
			vim.diagnostic.reset()
			return last()
		end)()`, "nothing"},
		{`(function()
			vim.diagnostic.set(vim.api.nvim_create_namespace("others"), buf, { { lnum = 0, col = 0, message = "of another" } })
			return last()
		end)()`, "nothing"},
		{`(function()
			vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client.id), buf, { { lnum = 0, col = 0, message = "of before" } })
			return last()
		end)()`, "0 of before"},
		{`(function() h().versions[buf] = 9 return last() end)()`, "9 of before"},
		{`(function() h().texts[b] = { version = 10 } return last() end)()`, "nothing"},
		{`(function() h().texts[b] = nil h().versions = nil return last() end)()`, "nothing"},

		{`(function()
			local own = client.handlers["textDocument/publishDiagnostics"]
			vim.cmd("edit! c.txt")
			vim.wait(10000, function() return client.attached_buffers[vim.fn.bufnr("c.txt")] end)
			return own == client.handlers["textDocument/publishDiagnostics"] -- one for all buffers
		end)()`, "true"},
		{`(function()
			local known = h()
			vim.lsp.buf_detach_client(vim.fn.bufnr("a.txt"), client.id)
			vim.wait(20)
			return known == h()
		end)()`, "true"}, // it still runs
		{`(function()
			local known = h()
			vim.lsp.buf_attach_client(vim.fn.bufnr("a.txt"), client.id)
			vim.lsp.stop_client(client.id, true)
			vim.wait(10000, function() return not vim.lsp.get_client_by_id(client.id) end)
			vim.wait(20)
			return known == h()
		end)()`, "false"},
	} {
		b.told(t, "return "+test.does, test.want)
	}
}
