package tests

import (
	"strings"
	"testing"
)

// A language server is asked for the place of a symbol in its file, and about lines with the diagnostics that it has sent of them
// (behaviours 316, 317).
func TestToolsAsked(t *testing.T) {
	b := newOdd(t, `for _, method in ipairs({ "textDocument/hover", "textDocument/definition", "textDocument/references",
			"textDocument/rename", "textDocument/documentSymbol", "textDocument/codeAction", "workspace/symbol" }) do
		odd[method] = function(params)
			local text = vim.inspect(params, { newline = "", indent = "" }):gsub(vim.uri_from_fname(vim.fn.getcwd()), "")
			table.insert(odd.asked, method:match("[^/]*$") .. " " .. text)
			return method == "textDocument/hover" and { contents = "it is here" } or vim.NIL
		end
	end
	odd.asked = {}
	vim.cmd("edit a.txt")
	vim.api.nvim_buf_set_lines(0, 0, -1, false, { "one", "  größe one", "one" })
	local at = function(line) return { start = { line = line, character = 0 }, ["end"] = { line = line, character = 1 } } end
	vim.wait(10000, function() return odd.say and #vim.lsp.get_clients({ bufnr = 0 }) > 0 end)
	odd.say("textDocument/publishDiagnostics", { uri = vim.uri_from_bufnr(0), diagnostics = {
		{ range = at(0), message = "first" }, { range = at(1), message = "second", code = 7 }, { range = at(2), message = "third" } } })
	vim.diagnostic.set(vim.api.nvim_create_namespace("others"), 0, { { lnum = 1, col = 0, message = "of no server" },
		{ lnum = 1, col = 0, message = "of a plugin", user_data = { lsp = { code = 7 } } } })
	vim.wait(10000, function() return #vim.diagnostic.get(0) == 5 end)`)
	const (
		file   = `textDocument = {uri = "/a.txt"}`
		first  = `position = {character = 0,line = 0},` + file
		second = `position = {character = 8,line = 1},` + file
		hint   = `{code = 7,message = "second",range = {["end"] = {character = 1,line = 1},start = {character = 0,line = 1}}}`
		hints  = hint + `, {message = "third",range = {["end"] = {character = 1,line = 2},start = {character = 0,line = 2}}}`
	)
	for _, test := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"hover", map[string]any{"symbol": "one"}, `hover {` + first + `} definition {` + first + `}`},
		{"hover", map[string]any{"symbol": "one", "line": 2}, `hover {` + second + `} definition {` + second + `}`},
		{"definition", map[string]any{"symbol": "one", "line": 2}, `definition {` + second + `}`},
		{"references", map[string]any{"symbol": "one"}, `references {context = {includeDeclaration = true},` + first + `}`},
		{"rename", map[string]any{"symbol": "one", "line": 2, "name": "uno"}, `rename {newName = "uno",` + second + `}`},
		{"symbols", nil, `documentSymbol {` + file + `}`},
		{"symbols", map[string]any{"query": "on"}, `symbol {query = "on"}`},
		{"code_action", map[string]any{"line": 2}, `codeAction {context = {diagnostics = { ` + hint + ` },triggerKind = 1},range = {["end"] = {character = 11,line = 1},start = {character = 2,line = 1}},` + file + `}`},
		{"code_action", map[string]any{"line": 2, "last": 3}, `codeAction {context = {diagnostics = { ` + hints + ` },triggerKind = 1},range = {["end"] = {character = 3,line = 2},start = {character = 2,line = 1}},` + file + `}`},
	} {
		args := map[string]any{"path": "a.txt"}
		for name, value := range test.args {
			args[name] = value
		}
		if _, _, err := b.use(t.Context(), test.tool, args); err != nil {
			t.Fatal(err)
		}
		if got := b.must(t, `(function() local asked = odd.asked odd.asked = {} return table.concat(asked, " ") end)()`); got != test.want {
			t.Errorf("%s %v: got  %s\nwant %s", test.tool, test.args, got, strings.TrimSpace(test.want))
		}
	}

	// Of a file that is loaded for it the server has said something by then.
	b.must(t, `(function()
		odd["textDocument/hover"] = function(params)
			local at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
			odd.say("textDocument/publishDiagnostics", { uri = params.textDocument.uri, diagnostics = { { range = at, message = "at once" } } })
			return vim.NIL
		end
	end)()`)
	if _, _, err := b.use(t.Context(), "code_action", map[string]any{"path": "b.txt", "line": 1}); err != nil {
		t.Fatal(err)
	}
	has(t, b.must(t, `table.concat(odd.asked, " ")`), `codeAction {context = {diagnostics = { {message = "at once",`)
}
