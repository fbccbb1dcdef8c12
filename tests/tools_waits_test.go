package tests

import (
	"fmt"
	"testing"
)

// How long a language server is waited for depends on what it has said, and been told, last: in each case one of the waits counts, and
// the others do not (behaviour 530).
func TestToolsWaits(t *testing.T) {
	b := newOdd(t, `idle = require("nvim-acp.knowledge.idle")
		vim.o.hidden = true
		vim.cmd("edit b.txt | edit a.txt")
		function say(name)
			odd.say("textDocument/publishDiagnostics", { uri = vim.uri_from_fname(vim.fn.getcwd() .. "/" .. name), diagnostics = {} })
		end
		function waits(name, last)
			for _, wait in ipairs({ "quiet", "silent", "stale_quiet", "stale_silent" }) do
				idle[wait] = wait == name and last or 60000 - last
			end
			idle.longest = last > 0 and 500 or 20000
		end
		function ask()
			answer = nil
			require("nvim-acp.knowledge.task").start(function(task)
				local list = require("nvim-acp.knowledge.diagnostics").list
				answer = list(task, { path = vim.fn.getcwd() .. "/a.txt", wait = 60000, session = "s" })
			end, error)
		end
		function change(name)
			odd.told = {}
			vim.api.nvim_buf_set_lines(vim.fn.bufnr(name), 0, 0, false, { "more" })
			vim.wait(10000, function() return odd.told["textDocument/didChange"] end, 1)
		end`)
	if err := b.wait(`odd.say and #vim.lsp.get_clients({ bufnr = vim.fn.bufnr("a.txt") }) == 1 and #vim.lsp.get_clients({ bufnr = vim.fn.bufnr("b.txt") }) == 1`); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, does, counts string }{ // it is waited for while that is long, though the others are short
		{"it has said nothing", ``, "silent"},
		{"of this text", `say("a.txt")`, "quiet"},
		{"the text has changed since", `change("a.txt")`, "silent"},
		{"another has changed since", `say("a.txt") vim.wait(20) change("b.txt")`, "stale_silent"},
		{"another has changed since, of which it spoke", `say("a.txt") vim.wait(20) change("b.txt") vim.wait(20) say("b.txt")`, "stale_quiet"},
	} {
		for _, last := range []int{60000, 0} {
			if last > 0 && test.counts == "stale_quiet" { // silence of any kind ends it
				continue
			}
			b.must(t, fmt.Sprintf(`(function() %s vim.wait(20) waits(%q, %d) ask() end)()`, test.does, test.counts, last))
			if err := b.wait(`answer ~= nil`); err != nil {
				t.Fatal(err)
			}
			want := "true "
			if last > 0 {
				want = `false "odd\nserver" has not settled`
			}
			if got := b.must(t, `tostring(answer.settled) .. " " .. (answer.late or "")`); got != want {
				t.Errorf("%s, %s is %d: got %q, want %q", test.name, test.counts, last, got, want)
			}
		}
	}
}

// A server that leaves a file is named to the sessions whose turn had begun before, by what it has done, until it looks at the file again
// (behaviour 539).
func TestToolsLeft(t *testing.T) {
	b := newOdd(t, `closed = require("nvim-acp.knowledge.closed")
		require("nvim-acp.knowledge.diagnostics_log").follow()
		vim.o.hidden = true
		vim.cmd("edit b.txt | edit a.txt")
		a = vim.fn.bufnr("a.txt")
		function attached(n) return vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = a }) == n end) end
		function detach() vim.lsp.buf_detach_client(a, client.id) attached(0) end
		function served(session) -- of two files that nobody has open
			local list
			require("nvim-acp.knowledge.task").start(function(task)
				list = require("nvim-acp.knowledge.diagnostics").served(task, { paths = { "/x.txt", "/x.lua" }, session = session })
			end, error)
			vim.wait(10000, function() return list end)
			return table.concat(list, " ")
		end
		function left(session, clients)
			local types = vim.inspect(closed.types(session), { newline = "", indent = "" })
			return types .. " " .. table.concat(closed.of(session, a, clients or {}), ", ")
		end`)
	b.must(t, `(function() attached(1) client = vim.lsp.get_clients({ bufnr = a })[1] end)()`)
	for _, test := range []struct{ does, left, want string }{
		{``, `left("early")`, `{} `},
		{`closed.begin("early") vim.wait(5) detach() vim.wait(5) closed.begin("late")`, `left("early")`,
			`{txt = '"odd\\nserver" was detached'} "odd\nserver" was detached`},
		{``, `left("late")`, `{} `},
		{``, `served("none")`, `/x.txt`}, // as it looks at another such file
		{``, `left("none")`, `{} `},
		{`vim.lsp.buf_attach_client(a, client.id) attached(1)`, `left("early")`, `{} `},
		{``, `left("early", { client })`, `{} `},
		{`closed.detached(client.id, 9999) closed.detached(9999, a)`, `left("early", { client })`, `{} `}, // of what is gone already
		{`detach() vim.lsp.stop_client(client.id, true) vim.wait(10000, function() return not vim.lsp.get_client_by_id(client.id) end)`,
			`left("late", { client })`, `{txt = '"odd\\nserver" has ended'} "odd\nserver" has ended`},
		{``, `left("none", { client })`, `{} "odd\nserver" has ended`},
		{``, `served("late")`, `/x.txt`},
		{``, `served("none")`, ``},
	} {
		if got := b.must(t, `(function() `+test.does+` return `+test.left+` end)()`); got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.does, test.left, got, test.want)
		}
	}
}
