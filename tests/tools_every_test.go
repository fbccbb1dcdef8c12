package tests

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// otherServer is another language server for text files, whose answers are a table of Lua, too.
const otherServer = `
other, at = {}, { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }
function place(name) return { uri = vim.uri_from_fname(vim.fn.getcwd() .. "/" .. name), range = at } end
function symbol(name, inner) return { name = name, kind = 12, range = at, selectionRange = at, children = inner } end
vim.api.nvim_create_autocmd("FileType", { pattern = "text", callback = function(args)
	vim.lsp.start({ name = "other", root_dir = vim.fn.getcwd(), cmd = function()
		return {
			request = function(method, _, done)
				local answer = other[method]
				if method == "initialize" then answer = odd.initialize end
				if answer ~= "never" then vim.schedule(function() done(nil, answer) end) end
				return true, 1
			end,
			notify = function() return true end, is_closing = function() return false end, terminate = function() end,
		}
	end }, { bufnr = args.buf })
end })
vim.cmd("edit a.txt")
vim.wait(5000, function() return #vim.lsp.get_clients({ bufnr = 0, method = "textDocument/hover" }) == 2 end)
`

// Each question is asked of all language servers of a file, at once: what they say is merged, and one that fails or does not answer is
// named beside what the others say (behaviour 1492).
func TestToolsEveryServer(t *testing.T) {
	one, line := map[string]any{"path": "a.txt", "symbol": "one"}, map[string]any{"path": "a.txt", "line": 1}
	for _, test := range []struct {
		method, tool string
		args         map[string]any
		odd, other   string // answers
		both, alone  string // what is said of both, of the other's alone
	}{
		{"documentSymbol", "symbols", map[string]any{"path": "a.txt"},
			`{ symbol("first"), symbol("shared", { symbol("inner") }) }`, `{ symbol("second"), symbol("shared") }`,
			"function first, lines 1-1\nfunction shared, lines 1-1\n  function inner, lines 1-1\nfunction second, lines 1-1\n",
			"function second, lines 1-1\nfunction shared, lines 1-1\n"},
		{"definition", "definition", one, `place("a.txt")`, `{ place("a.txt"), place("b.txt") }`,
			"a.txt:1: one two\nb.txt:1: one\n", "a.txt:1: one two\nb.txt:1: one\n"},
		{"references", "references", one, `{ place("a.txt") }`, `{ place("b.txt") }`, "a.txt:1: one two\nb.txt:1: one\n", "b.txt:1: one\n"},
		{"hover", "hover", one, `{ contents = "the first" }`, `{ contents = "the second" }`, "the first\n\nthe second\n", "the second\n"},
		{"codeAction", "code_action", line, `{ { title = "Fix" } }`, `{ { title = "Mend" } }`, "Fix\nMend\n", "Mend\n"},
	} {
		t.Run(test.method, func(t *testing.T) {
			b := newOdd(t, otherServer)
			set := func(server, answer string) {
				b.must(t, fmt.Sprintf(`(function() %s["textDocument/%s"] = %s end)()`, server, test.method, answer))
			}
			said := func(want string, named ...string) {
				t.Helper()
				got := b.call(t, test.tool, test.args)
				lines := strings.SplitAfter(strings.TrimRight(got, "\n")+"\n", "\n")
				for _, line := range strings.SplitAfter(want, "\n") {
					if !slices.Contains(lines, line) {
						t.Errorf("got %q, want the line %q", got, line)
					}
				}
				if len(named) == 0 && len(lines) != strings.Count(want, "\n")+1 {
					t.Errorf("got %q, want %q", got, want)
				}
				has(t, got, named...)
			}
			set("odd", test.odd)
			set("other", test.other)
			said(test.both)
			set("odd", `"never"`)
			said(test.alone, `has not answered within 1 s`)
			set("odd", `{ error = -32603, message = "broken" }`)
			said(test.alone, `broken`)
			set("other", `"never"`)
			has(t, b.refused(t, test.tool, test.args), "broken", "other has not answered within 1 s")
		})
	}

	b := newOdd(t, otherServer+`
		odd["textDocument/rename"] = { changes = vim.empty_dict() }
		other["textDocument/rename"] = { changes = { [place("b.txt").uri] = { { range = at, newText = "uno" } } } }`)
	for _, odd := range []string{``, `odd["textDocument/rename"] = "never"`} {
		write(t, filepath.Join(b.dir, "b.txt"), "one\n")
		b.must(t, "(function() "+odd+" end)()")
		done := b.later(t, "rename", map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"})
		b.must(t, `require("nvim-acp").permit("allow_once")`)
		text := answered(t, done)
		has(t, text, "1 place in 1 file changed: b.txt")
		if got := strings.Contains(text, "has not answered within 1 s"); got != (odd != "") {
			t.Errorf("got %q", text)
		}
	}
}
