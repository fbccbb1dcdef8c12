package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// floatCase is a window of ours that takes the cursor, and how it is opened.
type floatCase struct {
	name   string
	agent  string
	before string   // Lua
	ready  string   // an expression that is true then
	open   []string // keys
	shown  string   // an expression that is true when it is open, as after each of the keys
	close  string   // keys; "": q
	again  string   // its own command, which opens no second
	same   bool     // it is the same one then
	once   bool     // closing it answers what it asks
	quit   bool     // :q is no way to close it
}

// begins is how all their agents begin.
const begins = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}
< session/new
> {"sessionId": "s", "configOptions": [{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small", "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}]}
`

// floatCases are all of them.
func floatCases() []floatCase {
	const (
		writes = `< session/prompt
> request fs/write_text_file {"sessionId": "s", "path": "$CWD/a.txt", "content": "ONE\n"}
< {}
> request terminal/create {"sessionId": "s", "command": "echo hello"}
< {"terminalId": "$t"}
> request terminal/wait_for_exit {"sessionId": "s", "terminalId": "$t"}
< {"exitCode": 0}
> answer session/prompt {"stopReason": "end_turn"}
`
		asks = `< session/prompt
> request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "c", "kind": "execute", "title": "t", "rawInput": {"command": "ls"}}, "options": [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]}
< {"outcome": {"outcome": "selected", "optionId": "y"}}
> answer session/prompt {"stopReason": "end_turn"}
`
		form = `< session/prompt
> request elicitation/create {"sessionId": "s", "mode": "form", "message": "Which?", "requestedSchema": {"type": "object", "properties": {"c": {"type": "string", "title": "Colour"}}}}
`
		answers = `< session/prompt
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Because."}}}
> answer session/prompt {"stopReason": "end_turn"}
`
		stays = "< session/prompt\nwait never\n"
		inIt  = `vim.api.nvim_get_current_win() ~= from`
		float = inIt + ` and vim.api.nvim_win_get_config(0).relative ~= ""`
		menu  = `vim.bo.filetype == "acp-menu"`
		term  = `(` + inIt + ` or vim.bo.buftype == "terminal")` // where there is no room for another window it takes the user's
		idle  = `(function() local s = require("nvim-acp").status() return s and s.state == "idle" end)()`
		live  = ` and require("nvim-acp.permission.float").live()`
		ended = idle + ` and #require("nvim-acp").terminals() == 1` // the list of terminals comes beside the transcript
		goes  = `require("nvim-acp").prompt("go")`
	)
	done := begins + writes
	return []floatCase{
		{name: "menu", agent: done, open: []string{":AcpModel<CR>"}, shown: menu, again: ":AcpModel<CR>"},
		{name: "sessions", agent: done, before: goes, ready: idle, open: []string{":AcpSessions<CR>"}, shown: menu, again: ":AcpSessions<CR>"},
		{name: "rewind", agent: done, before: goes, ready: idle, open: []string{":AcpRewind<CR>"}, shown: menu, again: ":AcpRewind<CR>"},
		{name: "terminals", agent: done, before: goes, ready: ended, open: []string{":AcpTerminals<CR>"}, shown: menu, again: ":AcpTerminals<CR>"},
		{name: "install", agent: done, open: []string{":AcpInstall<CR>"}, shown: menu, again: ":AcpInstall<CR>"},
		{name: "undo", agent: done, before: goes, ready: idle, open: []string{":AcpUndo<CR>"}, shown: float, again: ":AcpUndo<CR>"},
		{name: "undo's diff", agent: done, before: goes, ready: idle, open: []string{":AcpUndo<CR>", "d"}, shown: float, close: "qq", quit: true},
		{name: "trust", agent: done, open: []string{":AcpTrust<CR>"}, shown: float, again: ":AcpTrust<CR>"},
		{name: "note", agent: done, open: []string{":AcpNote<CR>"}, shown: float + ` and vim.fn.mode() == "i"`, close: "<Esc><Esc>"},
		{name: "secret", agent: done, open: []string{`:lua require("nvim-acp.ui.secret").ask("Key", print)<CR>`}, shown: float, close: "<Esc>"},
		{name: "hold", agent: done, open: []string{`:lua require("nvim-acp.ui.center").hold("taken over")<CR>`}, shown: float, close: "<C-w>h<C-w><C-w>:<Esc>", quit: true},
		{name: "queue", agent: begins + stays, before: goes + goes, ready: `#(require("nvim-acp").status() or { queue = {} }).queue == 1`, open: []string{":AcpQueue<CR>"}, shown: float, again: ":AcpQueue<CR>"},
		{name: "permission", agent: begins + asks, before: goes, ready: `require("nvim-acp.permission.float").open()`, open: []string{":AcpPermit<CR>"}, shown: float, again: ":AcpPermit<CR>", same: true},
		{name: "rule of a permission", agent: begins + asks, before: goes, ready: `require("nvim-acp.permission.float").open()`, open: []string{":AcpPermit<CR>", "+"}, shown: float + live, close: "qq", quit: true},
		{name: "rule that answers", agent: begins + asks, before: goes, ready: `require("nvim-acp.permission.float").open()`, open: []string{":AcpPermit<CR>", "+"}, shown: float + live, close: "<CR>", quit: true, once: true},
		{name: "form", agent: begins + form, before: goes, ready: `require("nvim-acp.permission.float").open()`, open: []string{":AcpPermit<CR>"}, shown: float, again: ":AcpPermit<CR>", same: true},
		{name: "answer", agent: begins + strings.ReplaceAll("< session/new\n> {\"sessionId\": \"s\"}\n"+answers, `"s"`, `"u"`), before: `vim.cmd("AcpAsk why?")`, ready: `#vim.api.nvim_list_wins() == 5 and vim.fn.maparg("<CR>", "n") ~= ""`, open: []string{"<CR>"}, shown: float, once: true},
		{name: "terminal", agent: done, before: goes, ready: ended, open: []string{":AcpTerminals<CR>", "<CR>"}, shown: term, quit: true},
		{name: "terminal in a float", agent: done, before: goes, ready: ended, open: []string{`:lua require("nvim-acp.terminal").open(require("nvim-acp").terminals()[1].id, "float")<CR>`}, shown: float},
		{name: "log", agent: done, before: goes, ready: idle, open: []string{":AcpLog<CR>"}, shown: `vim.bo.filetype == "acp-log"`, again: ":AcpLog<CR>", quit: true, same: true},
		{name: "usage", agent: done, before: goes, ready: idle, open: []string{":AcpUsage<CR>"}, shown: inIt, again: ":AcpUsage<CR>", quit: true},
		{name: "export", agent: done, before: goes, ready: idle, open: []string{":AcpExport<CR>"}, shown: inIt, again: ":AcpExport<CR>", quit: true},
	}
}

// editor returns a Neovim with four windows, in the second of which the user is, after some Lua.
func (w floatCase) editor(t *testing.T, first ...string) *editor {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"agent": w.agent, "a.txt": "one\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n", ".nvim-acp.json": `{"mode": "plan"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	e := agentEditor(t, dir, agentProgram(), "agent", "--script", filepath.Join(dir, "agent"))
	do, lua := e.checked(t)
	lua(strings.Join(first, "\n") + `
		vim.o.columns = 160
		require("nvim-acp").chat({ focus = false }) require("nvim-acp.chat").hide(require("nvim-acp.state").current())`)
	do(e.wait(`require("nvim-acp").status().model == "small"`))
	lua(`vim.cmd("edit a.txt | vsplit b.txt | vsplit c.txt | vsplit d.txt")
		vim.cmd("3wincmd w | 2wincmd w")
		from = vim.api.nvim_get_current_win() ` + w.before)
	if w.ready != "" {
		do(e.wait(w.ready))
	}
	lua(`vim.api.nvim_set_current_win(from)`)
	return e
}

// checked returns what fails the test for an error, with what is on the screen, and what runs Lua and does that.
func (e *editor) checked(t *testing.T) (do func(error), lua func(code string)) {
	do = func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, e.scene())
		}
	}
	lua = func(code string) {
		t.Helper()
		_, err := e.lua(code)
		do(err)
	}
	return do, lua
}

// TestFloatsWithoutRoom opens each window of ours on screens that are too small for it, and has the screen grow and shrink while it is there:
// nothing fails (behaviour 985).
func TestFloatsWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, w := range floatCases() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			e := w.editor(t)
			do, lua := e.checked(t)
			// A message of more than a row makes Neovim wait for <CR>. What is said of the turn may come at any time, and is no answer to keys.
			lua(`vim.notify = function(text) said = not text:find("finished") and not text:find("to review") and text or said end`)
			for _, size := range []string{"80, 3", "80, 5", "12, 3"} {
				lua(fmt.Sprintf("pcall(function() vim.o.columns, vim.o.lines = %s end)", size)) // some are less than its windows need
				lua(`said = nil`)
				for _, keys := range w.open {
					lua(`was = vim.api.nvim_get_current_win()`)
					_, err := e.Input(keys)
					do(err)
					if err := e.wait("said or vim.api.nvim_get_current_win() ~= was and " + w.shown); err != nil {
						do(fmt.Errorf("at %s, after %s: %w", size, keys, err))
					}
				}
				lua(`vim.o.columns, vim.o.lines = 160, 24`)
				do(e.settled())
				lua(fmt.Sprintf("pcall(function() vim.o.columns, vim.o.lines = %s end)", size)) // some are less than its windows need
				do(e.settled())
				got, err := e.lua(`vim.fn.execute("messages"):match("[^\n]*E%d+:[^\n]*") or vim.fn.execute("messages"):match("stack traceback.*") or ""`)
				do(err)
				if got != "" {
					t.Errorf("at %s: %s", size, got)
				}
				lua(`vim.cmd("messages clear | stopinsert")
					vim.o.columns, vim.o.lines = 160, 24
					for _, win in ipairs(vim.api.nvim_list_wins()) do
						if vim.api.nvim_win_get_config(win).relative ~= "" then pcall(vim.api.nvim_win_close, win, true) end
					end
					vim.api.nvim_set_current_win(from)
					vim.cmd("silent! tabonly")`)
			}
		})
	}
}

// TestFloatsNamed opens each window of ours where the user's options fit none of them: no buffer is "[Scratch]" or "[No Name]" in the tab
// line and in :ls! (behaviour 1249), nothing fails, no text runs from the right (behaviour 1433), and none is folded, concealed, or scrolled
// with that of others (behaviour 1521).
func TestFloatsNamed(t *testing.T) {
	t.Parallel()
	for _, w := range floatCases() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			e := w.editor(t, `vim.o.ambiwidth, vim.o.rightleft, vim.o.showbreak = "double", true, "> "
				vim.o.foldmethod, vim.o.conceallevel, vim.o.concealcursor, vim.o.scrollbind, vim.o.cursorbind = "indent", 3, "n", true, true`)
			theirs := `vim.cmd("windo diffthis") theirs = {} for _, win in ipairs(vim.api.nvim_list_wins()) do theirs[win] = true end
				vim.api.nvim_set_current_win(from)`
			do, lua := e.checked(t)
			lua(theirs)
			for _, keys := range w.open {
				lua(`was = vim.api.nvim_get_current_win()`)
				_, err := e.Input(keys)
				do(err)
				do(e.wait("vim.api.nvim_get_current_win() ~= was and " + w.shown))
			}
			bound, err := e.lua(`table.concat(vim.tbl_map(function(win)
				local o, name = vim.wo[win], vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
				local wrong = o.foldenable or o.foldmethod ~= "manual" or o.conceallevel == 3 or o.scrollbind or o.cursorbind or o.diff or o.showbreak ~= "NONE"
				return wrong and not theirs[win] and name .. "\n" or ""
			end, vim.api.nvim_list_wins()))`)
			do(err)
			if bound != "" {
				t.Errorf("folded, concealed or bound as the user's windows are: %s", bound)
			}
			wrong, err := e.lua(`(vim.wo.rightleft and not vim.bo.modifiable and "runs from the right" or "")
				.. (vim.fn.execute("messages"):match("[^\n]*E%d+:[^\n]*") or vim.fn.execute("messages"):match("Invalid.*") or "")`)
			do(err)
			if wrong != "" {
				t.Error(wrong)
			}
			got, err := e.lua(`vim.iter(vim.api.nvim_list_bufs()):filter(function(b) return vim.api.nvim_buf_get_name(b) == "" end):map(function(b)
				return ("%d: %s"):format(b, table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), "|"))
			end):join(", ")`)
			do(err)
			if got != "" {
				t.Errorf("buffers without a name: %s", got)
			}
		})
	}
}

// TestFloatsPadded opens each float of ours with text: in all of them the text begins after two empty cells, as in a transcript, and so do rows
// that continue a line (behaviour 1320).
func TestFloatsPadded(t *testing.T) {
	t.Parallel()
	for _, w := range floatCases() {
		if w.name == "terminal in a float" {
			continue // its columns are those of the command
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			e := w.editor(t)
			do, lua := e.checked(t)
			lua(`vim.o.columns = 60`)
			for _, keys := range w.open {
				lua(`was = vim.api.nvim_get_current_win()`)
				_, err := e.Input(keys)
				do(err)
				do(e.wait("vim.api.nvim_get_current_win() ~= was and " + w.shown))
			}
			got, err := e.lua(`(function()
				if vim.api.nvim_win_get_config(0).relative == "" then return "" end
				vim.cmd.redraw()
				local at, least = vim.fn.win_screenpos(0), 99
				for row = at[1] + 1, at[1] + vim.api.nvim_win_get_height(0) do
					local text = ""
					for col = at[2] + 1, at[2] + vim.api.nvim_win_get_width(0) do text = text .. vim.fn.screenstring(row, col) end
					least = text:find("%S") and math.min(least, #text:match("^ *")) or least
				end
				return least ~= 99 and least ~= 2 and tostring(least) or ""
			end)()`)
			do(err)
			if got != "" {
				t.Errorf("text begins after %s cells, want 2\n%s", got, e.scene())
			}
		})
	}
}

// TestFloatsLeadBack opens each window of ours from one of four, and closes it in each way there is, also after a look at its keys:
// the user is where they were. It also types the float's own command within it: there is one of it, and the way back is the same
// (behaviours 1103, 1104, 1105).
func TestFloatsLeadBack(t *testing.T) {
	t.Parallel()
	for _, w := range floatCases() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if w.close == "" {
				w.close = "q"
			}
			ways := map[string]string{"its key": w.close, "its key after g?": "g?q" + w.close}
			if w.name == "note" || w.name == "secret" {
				ways["its key after g?"] = "<C-\\><C-n>g?q<Esc>"
			}
			if w.name == "hold" {
				delete(ways, "its key after g?")
			}
			if !w.quit {
				ways[":q"], ways[":q after g?"] = "<C-\\><C-n>:q!<CR>", "<C-\\><C-n>g?q:q!<CR>"
			}
			if w.again != "" {
				ways["again"] = w.again + "AGAIN" + w.close
			}
			e := w.editor(t)
			for name, keys := range ways {
				t.Run(name, func(t *testing.T) {
					if w.once {
						e = w.editor(t)
					}
					do, lua := e.checked(t)
					lua(`before = vim.fn.win_getid(vim.fn.winnr("#"))`)
					for _, keys := range w.open {
						lua(`was = vim.api.nvim_get_current_win()`)
						_, err := e.Input(keys)
						do(err)
						do(e.wait(w.shown + " and vim.api.nvim_get_current_win() ~= was"))
					}
					if got, err := e.lua(`vim.fn.maparg("g?", "n", false, true).buffer or 0`); err != nil || got != "1" && w.name != "hold" {
						t.Errorf("g? is mapped: got %s, %v, want 1", got, err)
					}
					lua(`wins = #vim.api.nvim_list_wins() was = vim.api.nvim_get_current_buf()`)
					first, rest, again := strings.Cut(keys, "AGAIN")
					_, err := e.Input(first)
					do(err)
					if again {
						do(e.settled())
						do(e.wait(fmt.Sprintf("%s and #vim.api.nvim_list_wins() == wins and (%t or vim.api.nvim_get_current_buf() ~= was)", w.shown, w.same)))
						_, err := e.Input(rest)
						do(err)
					}
					do(e.wait(`vim.api.nvim_get_current_win() == from`))
					do(e.settled())
					do(e.wait(`vim.api.nvim_get_current_win() == from and #vim.tbl_filter(function(w)
						return vim.api.nvim_win_get_config(w).focusable and vim.bo[vim.api.nvim_win_get_buf(w)].filetype ~= "acp-permission"
					end, vim.api.nvim_list_wins()) <= 4`))
					if got, err := e.lua(`vim.fn.win_getid(vim.fn.winnr("#")) - before`); err != nil || got != "0" {
						t.Errorf("the previous window: got another, %s, %v", got, err)
					}
				})
			}
		})
	}
}

// settled waits until the program has answered what Neovim has asked it by now.
func (e *editor) settled() error {
	if _, err := e.lua(`require("nvim-acp.rpc").ask("nothing", {})`); err != nil {
		return err
	}
	return e.answers()
}
