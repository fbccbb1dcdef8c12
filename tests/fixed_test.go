package tests

import (
	"strings"
	"testing"
)

// changing are keys of Neovim's that change text, in Normal mode and in Visual mode, with what completes them.
const (
	changing = `dd dw da( cc cw ciw ca( yyp x X D C s S o O i a I A p P gp gP ]p [p ]P [P rz Rz gR J gJ ~ g~~ gUU guu g?? >> << == gqj gwj gcc ! & g& .
		u U <C-r> <C-a> <C-x> gi gI [<Space> ]<Space> <Del> <Insert>`
	changingVisual = `d x D X <Del> c C s S r R p P J gJ ~ u U gu gU g~ g? > < = ! gq gw gc gp gP I A <C-a> <C-x> g<C-a> g<C-x>`
)

// pressed presses those of such keys that the current buffer gives no meaning of its own, in each Visual mode too, and returns what is
// wrong: an error, a text that is another, another window, or another mode.
const pressed = `(function(normal, visual)
	local buf, win, wrong = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win(), {}
	vim.fn.setreg('"', "put", "v")
	local function own(mode, keys)
		for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, mode)) do
			for _, raw in ipairs(map.desc ~= "" and { vim.keycode(map.lhs), map.lhsraw } or {}) do
				if vim.startswith(vim.keycode(keys), raw) then return true end
			end
		end
	end
	local function press(keys)
		local before = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
		vim.v.errmsg = ""
		local ok, err = pcall(vim.api.nvim_feedkeys, vim.keycode(keys), "mtx", false)
		local mode = vim.fn.mode()
		pcall(vim.api.nvim_feedkeys, vim.keycode("<C-\\><C-n>"), "ntx", false)
		if not ok or vim.v.errmsg ~= "" then
			table.insert(wrong, keys .. ": " .. (ok and vim.v.errmsg or err))
		elseif table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") ~= before then
			table.insert(wrong, keys .. ": the text is another")
		elseif vim.api.nvim_get_current_win() ~= win then
			table.insert(wrong, keys .. ": the window is another")
			vim.api.nvim_set_current_win(win)
		elseif mode == "i" or mode == "R" or mode == "c" then
			table.insert(wrong, keys .. ": the mode is " .. mode)
		end
	end
	for keys in normal:gmatch("%S+") do
		if not own("n", keys) then press(keys) end
	end
	for keys in visual:gmatch("%S+") do
		for _, mode in ipairs(own("x", keys) and {} or { "v", "V", "<C-v>" }) do
			if not own("n", mode) then press(mode .. keys) end
		end
	end
	return table.concat(wrong, "; ")
end)(...)`

// TestFixed opens each window of ours whose text cannot be changed, and presses the keys that change text in Neovim and have no meaning
// there: nothing fails, and nothing changes (behaviour 1319).
func TestFixed(t *testing.T) {
	t.Parallel()
	const (
		writes = begins + `< session/prompt
> request fs/write_text_file {"sessionId": "s", "path": "$CWD/d.txt", "content": "changed\n"}
< {}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}}
> {"stopReason": "end_turn"}
`
		goes     = `require("nvim-acp").prompt("go")`
		reviewed = `require("nvim-acp.review").count() == 1`
	)
	cases := append(floatCases(), []floatCase{
		{name: "transcript", agent: writes, before: goes, ready: reviewed, open: []string{":AcpChat<CR>", "<C-w>k"}, shown: `vim.bo.filetype:find("^acp%-")`},
		{name: "review", agent: writes, before: goes, ready: reviewed, open: []string{":AcpReview<CR>"}, shown: `vim.bo.filetype == "acp-review"`},
		{name: "comparison", agent: writes, before: goes, ready: reviewed, open: []string{":AcpReview<CR>", "d", "<C-w>h"}, shown: `(vim.bo.filetype == "acp-review" or vim.wo.diff)`},
		{name: "keys", agent: writes, before: goes, ready: reviewed, open: []string{":AcpUsage<CR>", "g?"}, shown: `true`},
		{name: "files of a project", agent: writes, open: []string{":AcpTrust<CR>", "o"}, shown: `true`},
		{
			name: "prompt of a session that is loaded", agent: writes + "< session/load\nwait never\n",
			before: goes + ` local acp, id = require("nvim-acp"), require("nvim-acp").status().session
				vim.wait(5000, function() return acp.status().state == "idle" end) acp.close() acp.chat({ session = id })`,
			ready: `(require("nvim-acp").status() or {}).state == "loading"`,
			open:  []string{":AcpChat<CR>"}, shown: `vim.bo.filetype == "acp-prompt"`,
		},
	}...)
	var fixed []string
	for _, w := range cases {
		t.Run(w.name, func(t *testing.T) {
			e := w.editor(t)
			do, lua := e.checked(t)
			lua(`vim.o.timeoutlen = 1`)
			for _, keys := range w.open {
				lua(`was = vim.api.nvim_get_current_win()`)
				_, err := e.Input(keys)
				do(err)
				do(e.wait("vim.api.nvim_get_current_win() ~= was and " + w.shown))
			}
			if on, err := e.lua(`vim.bo.modifiable`); err != nil || on == "true" {
				return
			}
			fixed = append(fixed, w.name)
			got, err := e.lua("return "+pressed, changing, changingVisual)
			do(err)
			if got != "" {
				t.Errorf("%s\n%s", got, e.scene())
			}
		})
	}
	if len(fixed) < 20 {
		t.Errorf("windows whose text cannot be changed: %s", strings.Join(fixed, ", "))
	}
	t.Log(strings.Join(fixed, ", "))
}
