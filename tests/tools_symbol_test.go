package tests

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// A symbol is found where it is a whole word, in the line that is given or in the first that has it, and counted as the server counts; a
// part of another name is no symbol (behaviour 1346).
func TestToolsSymbol(t *testing.T) {
	b := newOdd(t, `odd["textDocument/hover"] = function(params)
		odd.at = params.position.line + 1 .. ":" .. params.position.character
		return { contents = "here" }
	end`)
	for _, test := range []struct {
		text, symbol string
		line         int
		want         string // the position; else what is said
	}{
		{"one", "one", 0, "1:0"},
		{"someone is one", "one", 0, "1:11"},
		{"someone\nalone\n  one()", "one", 0, "3:2"},
		{"one\none one", "one", 2, "2:0"},
		{"a.one", "one", 0, "1:2"},
		{"ones one_two one2 2one _one", "one", 0, `the file has no "one"`},
		{"lone one\nlone", "one", 2, `line 2 has no "one": lone`},
		{"ä😀 one", "one", 0, "1:4"},
		{"größe e", "e", 0, "1:6"},
		{"große größe", "größe", 0, "1:6"},
		{"$one one", "$one", 0, "1:0"},
		{"a.one(b)", "one(b)", 0, "1:2"},
		{"100%d %d", "%d", 0, "1:3"},
		{strings.Repeat("x\n", 2500) + "one", "one", 0, "2501:0"},
	} {
		b.must(t, fmt.Sprintf(`(function() vim.cmd("edit! a.txt") vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(%q, "\n")) end)()`, test.text))
		args := map[string]any{"path": "a.txt", "symbol": test.symbol}
		if test.line > 0 {
			args["line"] = test.line
		}
		if test.want[0] > '9' {
			has(t, b.refused(t, "hover", args), test.want)
			continue
		}
		has(t, b.call(t, "hover", args), "here")
		if got := b.must(t, `odd.at`); got != test.want {
			t.Errorf("%.40q, %q in line %d: got %s, want %s", test.text, test.symbol, test.line, got, test.want)
		}
	}

	b.must(t, `vim.api.nvim_buf_set_lines(0, 0, -1, false, { "ä😀 one" })`)
	for encoding, want := range map[string]string{"utf-8": "1:7", "utf-16": "1:4", "utf-32": "1:3"} {
		b.must(t, fmt.Sprintf(`(function() for _, c in ipairs(vim.lsp.get_clients({ bufnr = vim.fn.bufnr("a.txt") })) do c.offset_encoding = %q end end)()`, encoding))
		b.call(t, "hover", map[string]any{"path": "a.txt", "symbol": "one"})
		if got := b.must(t, `odd.at`); got != want {
			t.Errorf("%s: got %s, want %s", encoding, got, want)
		}
	}
	has(t, b.refused(t, "hover", map[string]any{"path": "a.txt", "symbol": "one", "line": 2}), "there is no line 2, the file has 1")
}

// A place is one however it is sent: alone or in a list, as a location or as a link (behaviour 1346).
func TestToolsPlaceForms(t *testing.T) {
	b := newOdd(t, `odd["textDocument/definition"] = function() return odd.place end`)
	b.must(t, `(function()
		vim.cmd("edit a.txt")
		vim.api.nvim_buf_set_lines(0, 0, -1, false, { "one" })
		local uri = vim.uri_from_fname(vim.fn.getcwd() .. "/b.txt")
		local range = { start = { line = 6, character = 0 }, ["end"] = { line = 6, character = 1 } }
		place, link = { uri = uri, range = range }, { targetUri = uri, targetRange = range, targetSelectionRange = range }
	end)()`)
	for _, answer := range []string{"place", "{ place }", "link", "{ link }"} {
		b.must(t, `(function() odd.place = `+answer+` end)()`)
		if got := b.call(t, "definition", map[string]any{"path": "a.txt", "symbol": "one"}); !strings.Contains(got, "b.txt:7") {
			t.Errorf("%s: got %q", answer, got)
		}
	}
}

// Who is asked is told that nobody waits for the answer any more: when the call is cancelled, and when it takes too long (behaviour 314).
func TestToolsGivenUp(t *testing.T) {
	b := newOdd(t, `for _, method in ipairs({ "hover", "definition", "references", "rename", "documentSymbol" }) do
		odd["textDocument/" .. method] = function() odd.asked = true return "never" end
	end`)
	if got := b.must(t, `(function() -- also just as it is to go on
		local tasks, wake, told = require("nvim-acp.knowledge.task"), nil, false
		local task = tasks.start(function(task)
			tasks.wait(task, function(done) wake = done end, function() told = true end)
		end, error)
		wake()
		tasks.cancel(task)
		return told
	end)()`); got != "true" {
		t.Error("what waits is not told that it is cancelled as it wakes up")
	}

	file, symbol := map[string]any{"path": "a.txt"}, map[string]any{"path": "a.txt", "symbol": "one"}
	rename := map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"}
	told := `odd.told["$/cancelRequest"] == true`
	for _, test := range []struct {
		tool string
		args map[string]any
	}{{"hover", symbol}, {"definition", symbol}, {"references", symbol}, {"symbols", file}, {"diagnostics", file}, {"rename", rename}} {
		b.must(t, `(function() require("nvim-acp.knowledge.requests").wait = 150 odd.told, odd.asked = {}, nil vim.cmd("edit! a.txt") vim.fn.setline(1, "one two") end)()`)
		if test.tool != "diagnostics" { // which says what is not known
			has(t, b.refused(t, test.tool, test.args), "has not answered within")
			if err := b.wait(told); err != nil {
				t.Fatalf("%s takes too long: %v", test.tool, err)
			}
		}

		b.must(t, `(function() require("nvim-acp.knowledge.requests").wait = 60000 odd.told, odd.asked = {}, nil end)()`)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { // until stop
			_, _, err := b.use(ctx, test.tool, test.args)
			ended <- err
		}()
		if err := b.wait(`odd.asked`); err != nil {
			t.Fatalf("%s asks nobody: %v", test.tool, err)
		}
		stop()
		if err := <-ended; err == nil {
			t.Errorf("%s is cancelled, and answered", test.tool)
		}
		if err := b.wait(told); err != nil {
			t.Fatalf("%s is cancelled: %v", test.tool, err)
		}
	}
}
