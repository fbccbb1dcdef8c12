package tests

import (
	"fmt"
	"strings"
	"testing"
)

// barrier is Lua with a function that has a language server answer something about a hidden buffer, and says what came of it.
const barrier = know + `
odd.initialize.capabilities.diagnosticProvider = { interFileDependencies = false, workspaceDiagnostics = false }
vim.o.hidden = true
vim.cmd("edit b.txt | edit a.txt")
buf = vim.fn.bufnr("b.txt")
vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = buf }) == 1 end)
client = vim.lsp.get_clients({ bufnr = buf })[1]
log, sync = require("nvim-acp.knowledge.diagnostics_log"), require("nvim-acp.knowledge.sync")
log.follow()
asked, answers = {}, {}
for _, method in ipairs({ "hover", "definition", "documentHighlight", "documentSymbol", "foldingRange", "diagnostic" }) do
	odd["textDocument/" .. method] = function(params)
		if params.textDocument.uri ~= vim.uri_from_bufnr(buf) then -- the editor asks by itself
			return { kind = "full", items = {} }
		end
		assert(method == "diagnostic" or vim.deep_equal(params.position, { line = 0, character = 0 }))
		table.insert(asked, method .. (params.identifier and "(" .. params.identifier .. ")" or ""))
		local answer = answers[#asked]
		if type(answer) == "function" then answer = answer() end
		return answer
	end
end
function known_as(...)
	for _, name in ipairs({ "hover", "definition", "documentHighlight", "documentSymbol", "foldingRange", "diagnostic" }) do
		client.server_capabilities[name .. "Provider"] = nil
	end
	for _, name in ipairs({ ... }) do client.server_capabilities[name .. "Provider"] = true end
end
function set_lines() vim.api.nvim_buf_set_lines(buf, 0, 0, false, { "more" }) end
function pass(within, given, meanwhile)
	local result
	asked, answers, odd.told = {}, given or {}, {}
	require("nvim-acp.knowledge.task").start(function(task)
		local before = log.of(client.id).seq
		began = vim.uv.now()
		local late, passed = sync.pass(task, { { client = client, buf = buf } }, began + within)
		took = vim.uv.now() - began
		local answer = passed[client.id]
		result = (late[client.id] or "in time") .. (answer and " answered +" .. answer.seq - before or "")
	end, function(problem) result = "problem: " .. problem end)
	if meanwhile then
		vim.wait(10000, function() return #asked > 0 end, 1)
		meanwhile()
	end
	vim.wait(10000, function() return result end, 1)
	return result .. ": " .. table.concat(asked, " ")
end
`

// A language server is asked something that it knows and that it answers only when it has read the text. It is asked again when it cannot
// answer now, or when the editor has dropped the question; otherwise the reason is told why it does not (behaviours 530, 540).
func TestToolsBarrier(t *testing.T) {
	b := newOdd(t, barrier)
	const odd = `"odd\nserver" `
	diagnostics := `{ kind = "full", items = { { range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 1 } }, message = "pulled" } } }`
	for _, test := range []struct{ does, want string }{
		{`known_as("foldingRange", "documentSymbol", "documentHighlight", "definition", "hover") return pass(9000)`, "in time answered +0: hover"},
		{`known_as("foldingRange", "documentSymbol", "documentHighlight", "definition") return pass(9000)`, "in time answered +0: definition"},
		{`known_as("foldingRange", "documentSymbol", "documentHighlight") return pass(9000)`, "in time answered +0: documentHighlight"},
		{`known_as("foldingRange", "documentSymbol") return pass(9000)`, "in time answered +0: documentSymbol"},
		{`known_as("foldingRange") return pass(9000)`, "in time answered +0: foldingRange"},
		{`known_as() return (pass(9000, { { error = -32601 } }):gsub(vim.fn.has("nvim-0.11") == 0 and "foldingRange" or "hover", "hover"))`, "in time answered +0: hover"},
		{`known_as("hover") return pass(9000, { { error = -32603 } })`, "in time answered +0: hover"},
		{`return pass(9000, { { error = -32801 } }) .. tostring(took >= 100)`, "in time answered +0: hover hovertrue"},
		{`return pass(9000, { "never" }, function()
			for id, request in pairs(client.requests) do request.type = "cancel" end
		end)`, "in time answered +0: hover hover"},
		{`return pass(9000, { "never" }, function()
			for id in pairs(client.requests) do client.requests[id] = nil end
		end)`, "in time answered +0: hover hover"},
		{`return pass(50, { "never" }) .. tostring(odd.told["$/cancelRequest"])`, odd + "has not answered within 1 s: hovertrue"},
		{`return pass(9000, { "refuse" })`, odd + "takes no requests: hover"},
		{`set_lines() return pass(9000)`, "in time answered +1: hover"}, // what it is told with the question
		{`local was = log.of(client.id).seq return pass(9000, { "never" }, function()
			local answer = odd.answer
			set_lines()
			vim.wait(10000, function() return log.of(client.id).seq > was end, 1)
			answer(nil, nil)
		end)`, "in time answered +0: hover"}, // it is of the text of before

		{`known_as("diagnostic", "hover") return pass(9000, { ` + diagnostics + ` }) .. #vim.diagnostic.get(buf)`, "in time answered +0: diagnostic1"},
		{`client.server_capabilities.diagnosticProvider = { identifier = "one" } return pass(9000, { { kind = "full", items = {} } }) .. #vim.diagnostic.get(buf)`, "in time answered +0: diagnostic(one)1"}, // none of this kind
		{`known_as("diagnostic") return pass(9000, { { error = -32800 }, { error = -32801 }, { error = -32802 } }) .. tostring(took >= 300)`, "in time answered +0: diagnostic diagnostic diagnostic diagnostictrue"},
		{`return pass(9000, { { error = -32603, message = "broken\nnow" } })`, odd + `could not say: "broken\nnow" answered +0: diagnostic`},
		{`return pass(9000, { { error = -32603, message = ("ü"):rep(300) } })`, odd + "could not say: " + strings.Repeat("ü", 200) + " answered +0: diagnostic"},
		{`client.handlers["textDocument/diagnostic"] = function() error("odd") end
			return pass(9000, { { kind = "full", items = {} } })`, odd + "could not say: its answer means nothing answered +0: diagnostic"},
		{`client.handlers["textDocument/diagnostic"] = function(_, result) handled = result.kind end
			local text = pass(9000, { { kind = "full", items = {} } })
			client.handlers["textDocument/diagnostic"] = nil
			return text .. handled`, "in time answered +0: diagnosticfull"},
	} {
		b.told(t, test.does, test.want)
	}
	b.told(t, `if not client._provider_foreach then return "one kind" end
		known_as()
		local function kind(id)
			return { id = id, method = "textDocument/diagnostic", registerOptions = {
				identifier = id, documentSelector = { { language = "text" } }, interFileDependencies = false, workspaceDiagnostics = false } }
		end
		odd.ask("client/registerCapability", { registrations = { kind("a"), kind("b") } })
		vim.cmd("enew") -- of another type
		local text = pass(9000, { { error = -32603 }, { kind = "full", items = {} } })
		odd.ask("client/unregisterCapability", { unregisterations = { { id = "a", method = "textDocument/diagnostic" }, { id = "b", method = "textDocument/diagnostic" } } })
		table.sort(asked)
		return text:gsub(": diagnostic.*", ": ") .. table.concat(asked, " ")`,
		b.must(t, fmt.Sprintf(`client._provider_foreach and %q or "one kind"`, odd+"could not say: not now answered +0: diagnostic(a) diagnostic(b)")))

	b.told(t, `known_as("hover") return pass(9000, { "never" }, function() vim.cmd("bwipeout! " .. buf) end)`, "in time: hover")
	b.told(t, `buf = vim.fn.bufnr("a.txt") return pass(9000, { "end" })`, odd+"has ended: hover")
}
