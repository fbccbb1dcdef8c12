package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// oddServer is a language server for text files whose answers are a table of Lua, by their methods; "never" is none, with "end" it
// ends instead, and with "refuse" it cannot be asked.
const oddServer = `
odd = {}
local function start(buf)
	vim.lsp.start({ name = "odd\nserver", root_dir = vim.fn.getcwd(), cmd = function(dispatchers)
		local closing, id = false, 0
		odd.told = {}
		function odd.say(method, params) dispatchers.notification(method, params) end
		function odd.ask(method, params) dispatchers.server_request(method, params) end
		function odd.stop() if not closing then closing = true vim.schedule(function() dispatchers.on_exit(0, 0) end) end end
		return {
			request = function(method, params, done, replied)
				local answer = odd[method]
				id = id + 1
				local this = id
				function odd.answer(err, result) if replied then replied(this) end done(err, result) end -- which may come later
				local reply = odd.answer
				if type(answer) == "function" then answer = answer(params) end
				if answer == "refuse" then
					return false
				elseif answer == "end" then
					vim.schedule(odd.stop)
				elseif answer ~= "never" then
					local err = type(answer) == "table" and answer.error and { code = answer.error, message = answer.message or "not now" } or nil
					vim.schedule(function() reply(err, not err and answer or nil) end)
				end
				return true, this
			end,
			notify = function(method) odd.told[method] = true return true end, is_closing = function() return closing end, terminate = odd.stop,
		}
	end }, { bufnr = buf })
end
vim.api.nvim_create_autocmd("FileType", { pattern = "text", callback = function(args) start(args.buf) end })
odd.initialize = { capabilities = {
	textDocumentSync = 1, hoverProvider = true, definitionProvider = true, referencesProvider = true, renameProvider = true,
	documentSymbolProvider = true, workspaceSymbolProvider = true, codeActionProvider = true } }
local servers, requests = require("nvim-acp.knowledge.servers"), require("nvim-acp.knowledge.requests")
servers.waits.attach, servers.waits.start, requests.wait = 100, 600, 600
`

// newOdd is a toolbox with a language server that does what a program of Lua says.
func newOdd(t *testing.T, does string) *toolbox {
	t.Helper()
	b := newToolbox(t, map[string]string{"a.txt": "one two\n", "b.txt": "one\n"})
	b.must(t, oddServer+does)
	return b
}

// Of a language server that is still starting, does not answer, or has ended, the agent is told which and what, in good time, and
// never that the editor is silent (behaviour 501).
func TestToolsSlow(t *testing.T) {
	for _, test := range []struct{ name, does, want string }{
		{"starts", `odd.initialize = "never"`, `server "odd\nserver" is still starting, after 1 s`},
		{"ends at start", `
			odd.initialize = "never"
			local clients = servers.clients
			servers.clients = function(...) vim.schedule(odd.stop) return clients(...) end`, `server "odd\nserver" has ended`},
		{"no answer", `odd["textDocument/hover"] = "never"`, `server "odd\nserver" has not answered within 1 s`},
		{"ends", `requests.wait = 60000 odd["textDocument/hover"] = "end"`, `server "odd\nserver" has ended`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newOdd(t, test.does)
			got := b.refused(t, "hover", map[string]any{"path": "a.txt", "symbol": "one"})
			has(t, got, test.want)
			if strings.Contains(got, "\n") {
				t.Errorf("it has more than a line: %s", got)
			}
		})
	}
}

// Silence of a language server counts as "no problems" only once it has answered a request since it was told of the text, and does not
// say that it is at work (behaviour 530).
func TestToolsSilent(t *testing.T) {
	b := newOdd(t, `local settled = require("nvim-acp.knowledge.idle")
		settled.silent, settled.stale_silent, settled.longest = 100, 200, 1200`)
	file := map[string]any{"path": "a.txt"}
	silent := func(what, want string) {
		t.Helper()
		got := b.call(t, "diagnostics", file)
		if has(t, got, want); strings.Contains(got, "no problems") {
			t.Errorf("%s: got %q", what, got)
		}
	}
	has(t, b.call(t, "diagnostics", file), "no problems in a.txt")
	b.must(t, `(function() vim.cmd("edit a.txt") vim.fn.setline(1, "three") odd["textDocument/hover"] = "never" end)()`)
	silent("a text that it has not read", `Not settled: "odd\nserver" has not answered within 1 s. This may not be all`)
	b.must(t, `assert(odd.told["$/cancelRequest"])`)
	has(t, b.call(t, "diagnostics", nil), `Not settled: "odd\nserver" has not answered`)
	b.must(t, `(function() odd["textDocument/hover"] = vim.NIL
		odd.say("$/progress", { token = 1, value = { kind = "begin", title = "Reading" } }) end)()`)
	silent("it is at work", `Not settled: "odd\nserver" is still at work`)
	b.must(t, `odd.say("$/progress", { token = 1, value = { kind = "end" } })`)
	has(t, b.call(t, "diagnostics", file), "no problems in a.txt")
}

// A language server that was at work is asked again behind that: it may have answered before, and find more
// (behaviour 530). That is so also where it ends while Neovim is held up, so that it is never seen at work.
func TestToolsBusy(t *testing.T) {
	for _, held := range []int{0, 200} {
		t.Run(fmt.Sprint(held), func(t *testing.T) { toolsBusy(t, held) })
	}
}

func toolsBusy(t *testing.T, held int) {
	b := newOdd(t, fmt.Sprintf("Held = %d ", held)+`local settled = require("nvim-acp.knowledge.idle")
		settled.quiet, settled.silent, settled.stale_silent = 20, 40, 40`)
	file := map[string]any{"path": "a.txt"}
	has(t, b.call(t, "diagnostics", file), "no problems in a.txt")
	b.must(t, `(function()
		vim.cmd("edit a.txt")
		vim.fn.setline(1, "three")
		local asked, uri = 0, vim.uri_from_bufnr(0)
		local function work(kind) odd.say("$/progress", { token = 1, value = { kind = kind, title = "Reading" } }) end
		odd["textDocument/hover"] = function()
			asked = asked + 1
			if asked == 1 then
				work("begin")
				vim.defer_fn(function() work("end") end, 100)
				vim.uv.sleep(Held)
			else
				local at = { line = 0, character = 0 }
				odd.say("textDocument/publishDiagnostics", { uri = uri, diagnostics = { { range = { start = at, ["end"] = at }, message = "found late" } } })
			end
			return vim.NIL
		end
	end)()`)
	has(t, b.call(t, "diagnostics", file), "found late")
}

// Between the question for a change and the change the user may type: what is proposed for another text is asked for again, and given up
// if that goes on (behaviour 317).
func TestToolsMoving(t *testing.T) {
	b := newOdd(t, `
		local changes = require("nvim-acp.knowledge.changes")
		local rename = changes.rename
		Typing = 1
		changes.rename = function(...)
			local proposal = rename(...)
			if Typing > 0 then
				Typing = Typing - 1
				vim.api.nvim_buf_set_lines(vim.fn.bufnr("a.txt"), 0, 0, false, { "typed" })
			end
			return proposal
		end
		odd["textDocument/rename"] = function(params)
			local at = { line = params.position.line, character = 0 }
			local to = { line = at.line, character = 3 }
			return { changes = { [params.textDocument.uri] = { { range = { start = at, ["end"] = to }, newText = "uno" } } } }
		end`)
	b.must(t, `vim.cmd("edit a.txt")`)
	rename := map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"}
	done := b.later(t, "rename", rename)
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "failed:false")
	if got, want := b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`), "typed|uno two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	b.must(t, `(function() Typing = 1000 end)()`)
	has(t, b.refused(t, "rename", map[string]any{"path": "a.txt", "symbol": "uno", "name": "one"}), "nothing was done, try again")
}

// The user may also type in another file that the change is for, while the server is asked (behaviour 317).
func TestToolsMovingElsewhere(t *testing.T) {
	b := newOdd(t, `
		odd["textDocument/rename"] = function()
			local other = vim.fn.bufnr("b.txt")
			local row = vim.fn.index(vim.api.nvim_buf_get_lines(other, 0, -1, false), "one three")
			asked = (asked or 0) + 1
			if asked == 2 then -- the first one says for which files it waits
				vim.api.nvim_buf_set_lines(other, 0, 0, false, { "one typed" })
			end
			local range = { start = { line = row, character = 0 }, ["end"] = { line = row, character = 3 } }
			return { changes = { [vim.uri_from_bufnr(other)] = { { range = range, newText = "uno" } } } }
		end`)
	write(t, filepath.Join(b.dir, "b.txt"), "one three\n")
	b.must(t, `vim.cmd("edit b.txt | edit a.txt")`)
	done := b.later(t, "rename", map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"})
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "failed:false")
	got := b.must(t, `table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("b.txt"), 0, -1, false), "|")`)
	if want := "one typed|uno three"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The diagnostics of a language server that has to be asked for them are asked for, also of files that are not on the screen
// (behaviour 530).
func TestToolsPulled(t *testing.T) {
	b := newOdd(t, `odd.initialize.capabilities.diagnosticProvider = { identifier = "odd", interFileDependencies = true, workspaceDiagnostics = false }
		local at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }
		local busy = true
		odd["textDocument/diagnostic"] = function()
			if busy then busy = false return { error = -32802 } end
			return { kind = "full", items = { { range = at, severity = 1, message = "pulled" } } }
		end`)
	has(t, b.call(t, "diagnostics", map[string]any{"path": "b.txt"}), "b.txt:1:1: error: pulled")
}

// Clients that share their handlers are told apart, and what the user's handlers do is still done (behaviour 530).
func TestToolsHandlers(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n"})
	b.must(t, `(function()
		require("nvim-acp.knowledge.diagnostics_log").follow()
		handled, say = 0, {}
		local handlers = { ["textDocument/publishDiagnostics"] = function(...)
			handled = handled + 1
			return vim.lsp.diagnostic.on_publish_diagnostics(...)
		end }
		vim.cmd("edit a.txt")
		for _, name in ipairs({ "first", "second" }) do
			ids = vim.list_extend(ids or {}, { vim.lsp.start({ name = name, handlers = handlers, cmd = function(dispatchers)
				say[name] = function()
					dispatchers.notification("textDocument/publishDiagnostics", { uri = vim.uri_from_bufnr(0), diagnostics = {} })
				end
				return {
					request = function(_, _, done) vim.schedule(function() done(nil, { capabilities = {} }) end) return true, 1 end,
					notify = function() return true end, is_closing = function() return false end, terminate = function() end,
				}
			end }) })
		end end)()`)
	if err := b.wait(`#vim.lsp.get_clients({ bufnr = 0 }) == 2`); err != nil {
		t.Fatal(err)
	}
	b.must(t, `say.second()`)
	if err := b.wait(`handled == 1 and next(require("nvim-acp.knowledge.diagnostics_log").of(ids[2]).said) ~= nil`); err != nil {
		t.Error("what the second has said is not noted, or handled otherwise than once")
	}
	if got := b.must(t, `tostring(next(require("nvim-acp.knowledge.diagnostics_log").of(ids[1]).said))`); got != "nil" {
		t.Errorf("it counts as the first one's: %s", got)
	}
}

// Symbols of the workspace are asked of each server that has some; one that does not answer is named, and says nothing of the others'
// (behaviour 683).
func TestToolsSymbolsOfAll(t *testing.T) {
	b := newOdd(t, `
		local function at(name) return { name = name, kind = 12, location = { uri = vim.uri_from_fname(vim.fn.getcwd() .. "/b.txt"),
			range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } } } } end
		odd["workspace/symbol"], odd["textDocument/documentSymbol"] = {}, { at("flat") } -- which has no tree of them
		for _, name in ipairs({ "second", "third" }) do
			vim.lsp.start({ name = name, root_dir = vim.fn.getcwd(), cmd = function()
				return {
					request = function(method, _, done)
						local answer = method == "initialize" and { capabilities = { workspaceSymbolProvider = true } } or { at("of_" .. name) }
						if not (Mute == name and method == "workspace/symbol") then vim.schedule(function() done(nil, answer) end) end
						return true, 1
					end,
					notify = function() return true end, is_closing = function() return false end, terminate = function() end,
				}
			end })
		end`)
	b.must(t, `vim.wait(5000, function() return #vim.lsp.get_clients({ method = "workspace/symbol" }) >= 2 end)`)
	has(t, b.call(t, "symbols", map[string]any{"path": "a.txt"}), "function flat")
	query := map[string]any{"path": "a.txt", "query": "of"}
	has(t, b.call(t, "symbols", query), "function of_second", "function of_third")
	b.must(t, `(function() Mute = "second" end)()`)
	has(t, b.call(t, "symbols", query), "function of_third", "second has not answered")
}

// What a language server answers may be anything: what means nothing in it is left out, and no error of the editor's reaches the agent
// (behaviour 501).
func TestToolsOdd(t *testing.T) {
	const (
		at    = `{ start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }`
		place = `{ uri = vim.uri_from_fname(vim.fn.getcwd() .. "/b.txt"), range = ` + at + ` }`
	)
	b := newOdd(t, fmt.Sprintf(`
		local junk = { vim.NIL, "x", 7, {}, { uri = vim.NIL }, { uri = "file:///x", range = {} }, { name = "n" }, { name = "n", range = 3 } }
		local function with(...) local l = { ... } vim.list_extend(l, junk) table.insert(l, 1, vim.NIL) return l end
		odd["textDocument/definition"] = with(%[1]s)
		odd["textDocument/references"] = "nonsense"
		odd["textDocument/hover"] = { contents = { vim.NIL, "said" } }
		odd["textDocument/documentSymbol"] = with({ name = "one", kind = 99, range = %[2]s, children = junk, detail = vim.NIL })
		odd["workspace/symbol"] = with({ name = "two", kind = 12, location = %[1]s, containerName = vim.NIL })
		odd["textDocument/codeAction"] = with({ title = "Fix it", edit = { changes = {} } })
		odd["textDocument/rename"] = function() return { documentChanges = { vim.NIL, {
			textDocument = { uri = vim.uri_from_fname(vim.fn.getcwd() .. "/b.txt"), version = vim.NIL }, edits = { vim.NIL, { range = %[2]s, newText = "uno" } } } } } end
	`, place, at))
	one := map[string]any{"path": "a.txt", "symbol": "one"}
	if got, want := b.call(t, "definition", one), "b.txt:1: one\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	has(t, b.call(t, "references", one), "knows no references of one")
	has(t, b.call(t, "hover", one), "said")
	has(t, b.refused(t, "hover", map[string]any{"path": "a.txt", "symbol": "none", "line": 1}), `line 1 has no "none": one two`)
	has(t, b.call(t, "symbols", map[string]any{"path": "a.txt"}), "symbol one, lines 1-1")
	has(t, b.call(t, "symbols", map[string]any{"query": "t"}), "b.txt:1: function two")
	has(t, b.call(t, "code_action", map[string]any{"path": "a.txt", "line": 1}), "Fix it")
	rename := map[string]any{"path": "a.txt", "symbol": "one", "name": "uno"}
	done := b.later(t, "rename", rename)
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "1 place in 1 file changed: b.txt", "failed:false")
	b.must(t, `(function() odd["textDocument/rename"] = { changes = { ["file:///x"] = { {} } } } end)()`)
	has(t, b.refused(t, "rename", rename), "neither where nor what")
	b.must(t, `(function() odd["textDocument/rename"] = "yes" end)()`)
	has(t, b.refused(t, "rename", rename), "cannot rename one")

	b.must(t, `(function() require("nvim-acp.knowledge.symbols").hover = function() error("a mistake") end end)()`)
	if got := b.refused(t, "hover", one); strings.Contains(got, "mistake") || !strings.Contains(got, "its log says more") {
		t.Errorf("got %q", got)
	}
	has(t, b.refused(t, "definition", map[string]any{"path": "none\nother.txt", "symbol": "x"}), `"`+b.dir+`/none\nother.txt"`)
}

// A value of a file that may hold secrets is told neither by an entry of the quickfix list, nor by the title of a code action, the detail
// of a symbol or an error of a language server (behaviour 505).
func TestToolsQuoted(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n", ".env": "KEY=hunter2secret\n"})
	b.must(t, oddServer+`
		local at = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }
		odd["textDocument/codeAction"] = { { title = "Use hunter2secret", edit = { changes = {} } } }
		odd["textDocument/definition"] = { error = -32001, message = "cannot resolve\nhunter2secret" }
		odd["textDocument/documentSymbol"] = { { name = "one", kind = 12, detail = "= hunter2secret", range = at, selectionRange = at } }
		vim.fn.setqflist({ { filename = "a.txt", lnum = 1, text = "cannot use hunter2secret" } })`)
	for tool, args := range map[string]map[string]any{
		"quickfix": {}, "code_action": {"path": "a.txt", "line": 1}, "symbols": {"path": "a.txt"}, "definition": {"path": "a.txt", "symbol": "one"},
	} {
		got, _, err := b.use(t.Context(), tool, args)
		if err != nil {
			t.Fatal(err)
		}
		has(t, got, "(not shown: it quotes .env, which may hold secrets)")
		if strings.Contains(got, "hunter2") {
			t.Errorf("%s tells %q", tool, got)
		}
	}
}
