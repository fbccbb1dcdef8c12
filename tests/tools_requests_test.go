package tests

import (
	"fmt"
	"testing"
)

// A question to language servers is over once: when it is answered, cancelled or late. Nothing is left of it then, and who answers after
// that is not heard (behaviours 314, 501).
func TestToolsRequests(t *testing.T) {
	b := newOdd(t, know+otherServer+`
		buf = vim.fn.bufnr("a.txt")
		clients = vim.lsp.get_clients({ bufnr = buf })
		table.sort(clients, function(a, b) return a.name < b.name end)
		made = {}
		(function()
			local new_timer = vim.uv.new_timer
			vim.uv.new_timer = function() table.insert(made, (new_timer())) return made[#made] end
		end)()
		function timers()
			return #vim.tbl_filter(function(timer) return not timer:is_closing() end, made)
		end
		function ask(wait, within, meanwhile, asked)
			local result, called = nil, 0
			odd.told, others = {}, {}
			requests.wait = wait
			local idle, began = timers(), vim.uv.now()
			local task = require("nvim-acp.knowledge.task").start(function(task)
				local answers, problems = requests.ask(task, asked or clients, "textDocument/hover", function(client)
					return { textDocument = { uri = vim.uri_from_bufnr(buf) }, name = client.name }
				end, buf)
				called = called + 1
				local list = {}
				for _, answer in ipairs(answers) do table.insert(list, answer.name .. "=" .. tostring(answer.result)) end
				for _, problem in ipairs(problems) do table.insert(list, problem.message .. (problem.late and " late" or "")) end
				result = table.concat(list, "; ")
			end, function(problem) result = "problem: " .. problem end, within)
			if meanwhile then
				vim.wait(50)
				result = meanwhile(task) or result
			end
			vim.wait(10000, function() return result end, 1)
			vim.wait(20)
			vim.wait(5000, function() return timers() <= idle end, 5) -- others have some too
			local left = timers() - idle
			return result .. (odd.told["$/cancelRequest"] and " told" or "") .. (left > 0 and " left " .. left or "") ..
				(vim.uv.now() - began > 5000 and " slow" or "") .. (called > 1 and " again" or "")
		end`)
	const (
		odd  = `"odd\nserver"`
		late = `The language server "odd\nserver" has not answered within 0 s: it may be busy. Try again later. late`
		gone = `The language server "odd\nserver" has ended: use your own tools. The user finds out why in :LspLog. late`
	)
	atOnce := `function() if vim.fn.has("nvim-0.11") == 0 then return %s end odd.answer(%s) return "never" end` // 0.10 cannot
	for _, test := range []struct{ odd, other, ask, want string }{
		{`1`, `2`, `ask(60000)`, odd + "=1; other=2"},
		{`1`, `2`, `ask(60000, nil, nil, { clients[2], clients[1] })`, "other=2; " + odd + "=1"},
		{`1`, `2`, `ask(60000, nil, nil, {})`, ""},
		{`{ error = -1, message = "bro\nken" }`, `2`, `ask(60000)`, "other=2; " + odd + ": bro\nken"},
		{fmt.Sprintf(atOnce, `{ error = -1, message = "error" }`, `{ code = -1 }`), `2`, `ask(60000)`, "other=2; " + odd + ": error"},
		{fmt.Sprintf(atOnce, `1`, `nil, 1`), `2`, `ask(60000)`, odd + "=1; other=2"}, // at once
		{`"refuse"`, `2`, `ask(60000)`, "other=2; " + gone},
		{`"never"`, `2`, `ask(150)`, "other=2; " + late + " told"},
		{`"never"`, `2`, `ask(60000, 150)`, "other=2; " + late + " told"},
		{`"never"`, `2`, `ask(60000, 0)`, "other=2; " + late + " told"},
		// Who has answered is not told that the others are not waited for any more.
		{`1`, `"never"`, `ask(60000, nil, function(task) require("nvim-acp.knowledge.task").cancel(task) return "cancelled" end)`, "cancelled"},
		{`"never"`, `2`, `ask(60000, nil, function(task) require("nvim-acp.knowledge.task").cancel(task) return "cancelled" end)`, "cancelled told"},
		{`"never"`, `2`, `(function()
			local text, answer = ask(150), odd.answer
			return text .. " " .. tostring(pcall(answer, nil, 1))
		end)()`, "other=2; " + late + " told true"},
		{`"end"`, `2`, `ask(60000)`, "other=2; " + gone + " told"},
	} {
		b.told(t, `odd["textDocument/hover"], other["textDocument/hover"] = `+test.odd+`, `+test.other+` return `+test.ask, test.want)
	}
}

// A task that is cancelled is not resumed, and what it waits for is cancelled once, not after it; one that fails says why, and a mistake is in
// the log (behaviours 314, 501).
func TestToolsTasks(t *testing.T) {
	b := newOdd(t, know+`
		tasks, lines = require("nvim-acp.knowledge.task"), {}
		require("nvim-acp.ui.logfile").write = function(level, text) table.insert(lines, level .. " " .. text:match("[^\n]*")) end
		vim.cmd("edit a.txt")
		vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
		buf, client = vim.api.nvim_get_current_buf(), vim.lsp.get_clients({ bufnr = 0 })[1]
		function ends(run, cancels)
			local list = {}
			local function say(text) table.insert(list, text) end
			lines, odd.told = {}, {}
			local task = tasks.start(function(task) run(task, say) say("over") end, function(problem) say("problem: " .. problem) end)
			if cancels == "at once" then tasks.cancel(task) end
			vim.wait(100)
			if cancels == "after" then tasks.cancel(task) end
			if odd.told["$/cancelRequest"] then say("told") end
			return table.concat(vim.list_extend(list, lines), ", ")
		end`)
	const mistake = "problem: the editor could not make sense of what it was asked or told; its log says more, 4 "
	wait := `function(task, say) say(tasks.wait(task, function(done) done("one") done("two") end, function() say("cancelled") end)) tasks.wait(task, %s) end`
	for _, test := range []struct{ ends, want string }{
		{`function() tasks.fail("none") end`, "problem: none"},
		{`function() error("broken", 0) end`, mistake + "broken"},
		{`function(task) task.buf = buf error("broken", 0) end`, mistake + "broken"},
		{`function(task) task.buf = 999 error("broken", 0) end`, "problem: the file was closed in the editor meanwhile: ask again"},
		{`function(task) tasks.sleep(task, 1) end`, "over"},
		{`function(task) tasks.sleep(task, 1) end, "at once"`, ""},
		{`function(task, say) tasks.sleep(task, 1, function() say("cancelled") end) end, "at once"`, "cancelled"},
		{`function(task, say) tasks.sleep(task, 1, function() say("cancelled") end) end, "after"`, "over"},
		{fmt.Sprintf(wait, `function(done) done() end`), "one, over"},
		{fmt.Sprintf(wait, `function() end`), "one"},
		{fmt.Sprintf(wait, `function() end`) + `, "after"`, "one"},
		// A barrier that is cancelled tells the server.
		{`function(task) odd["textDocument/hover"] = "never" require("nvim-acp.knowledge.sync").pass(task, { { client = client, buf = buf } }, vim.uv.now() + 60000) end, "at once"`, "told"},
	} {
		b.told(t, "return ends("+test.ends+")", test.want)
	}
}
