package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// playerLua is what the player has in Neovim: acp is the public interface, P its own.
const playerLua = `
	acp, P = require("nvim-acp"), { said = {}, all = {}, from = {} }
	vim.o.hidden, vim.o.shortmess, vim.o.more = true, vim.o.shortmess .. "FAIc", false
	vim.keymap.set({ "n", "x", "i" }, "<F7>", "<Cmd>lua P.ends = P.ends + 1<CR>")
	-- A modified buffer whose file has changed is left as it is: Neovim asks about it for a moment after an attach.
	vim.api.nvim_create_autocmd("FileChangedShell", { callback = function()
		vim.v.fcs_choice = ""
		table.insert(P.all, "Neovim would ask: W12")
	end })
	-- Whatever the user is asked, they answer at random.
	vim.ui.select = function(items, opts, done)
		local i = #items > 0 and math.random(#items) or nil
		P.asked = i and opts.format_item and opts.format_item(items[i]) or ""
		vim.schedule(function() done(i and items[i], i) end)
	end
	vim.ui.input = function(opts, done) vim.schedule(function() done("some words") end) end
	vim.notify = function(text) table.insert(P.said, text) table.insert(P.all, text) end
	function P.prompt(s)
		local buf = require("nvim-acp.state.buffers").prompt(s)
		return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") or ""
	end
	-- The prompt of a session whose chat was not opened since it was attached.
	function P.draft(id)
		local s = require("nvim-acp.state").sessions[id]
		if s then require("nvim-acp.prompt").ensure(s) end
		return s and P.prompt(s) or ""
	end
	local go_on = require("nvim-acp.sessions").go_on
	require("nvim-acp.sessions").go_on = function(s, ...)
		local before = vim.tbl_keys(require("nvim-acp.state").sessions)
		go_on(s, ...)
		for id in pairs(require("nvim-acp.state").sessions) do
			if not vim.tbl_contains(before, id) then P.from[id] = s.id end
		end
	end
	-- The window of what going back would do.
	local function plan()
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local title = vim.inspect(vim.api.nvim_win_get_config(win).title or "")
			if title:find("Go back") or title:find("Take back") then return win end
		end
	end
	-- What has come of a wish to go back: "plan" if that window is there.
	function P.planned()
		if plan() then return "plan" end
		if #P.said > 0 then return "said" end
		return P.asked == "the conversation before it went back" and "back" or ""
	end
	-- Agrees to the plan, unless all of it is refused, and returns it. A key might come to a window that has just opened.
	function P.agree()
		local win = plan()
		if not win then return "gone" end
		local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), "; ")
		vim.api.nvim_set_current_win(win)
		local key = vim.fn.maparg("<CR>", "n", false, true)
		key = key.callback and key or vim.fn.maparg("q", "n", false, true)
		key.callback()
		return text
	end
	-- Closes what the user has read.
	function P.tidy()
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
			if name:find("acp://usage", 1, true) then pcall(vim.api.nvim_win_close, win, true) end
		end
	end
	function P.sessions()
		local list = {}
		for _, st in ipairs(acp.sessions()) do
			local s = require("nvim-acp.state").sessions[st.session]
			local waits = 0
			for i in ipairs(st.queue) do waits = waits + (s.held and s.held[i] and 0 or 1) end
			table.insert(list, {
				id = s.id, from = P.from[s.id] or "", remote = s.remote or "", state = st.state, mode = st.mode or "", pending = st.pending, placed = st.place ~= nil,
				form = s.permissions[1] ~= nil and s.permissions[1].form ~= nil, queue = st.queue, waits = waits, prompt = P.prompt(s),
				text = st.bufnr and table.concat(vim.api.nvim_buf_get_lines(st.bufnr, 0, -1, false), "\n") or "",
			})
		end
		return list
	end
	function P.text(name)
		local buf = vim.fn.bufnr(name)
		return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") .. "\n"
	end
	-- Notes which words come into a buffer and go from it, and by whom.
	P.log = {}
	local function count(buf)
		local set = {}
		for _, l in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
			for w in l:gmatch("[ua]%d%d%d%d%dz") do set[w] = true end
		end
		return set
	end
	local followed = {}
	function P.follow(buf, name)
		if followed[buf] then return end
		followed[buf] = true
		local had = count(buf)
		local function look(how)
			local now, what = count(buf), {}
			for w in pairs(had) do if not now[w] then table.insert(what, "-" .. w) end end
			for w in pairs(now) do if not had[w] then table.insert(what, "+" .. w) end end
			had = now
			if #what == 0 then return end
			local sec, us = vim.uv.gettimeofday()
			local by = debug.traceback("", 3):match("lua/nvim%-acp/(%S+:%d+)") or "Neovim"
			table.insert(P.log, ("%s.%03d   %s %s: %s %s"):format(os.date("%M:%S", sec), us / 1000, how, name, table.concat(what, " "), by))
		end
		vim.api.nvim_buf_attach(buf, false, { on_lines = function() look("now") end, on_reload = function() look("reloaded") end,
			on_detach = function() followed[buf] = nil end })
	end
	-- Goes to a file in a window of files.
	function P.visit(name)
		local buf, at = vim.fn.bufadd(name), nil
		if vim.fn.bufloaded(buf) == 0 then
			vim.fn.bufload(buf)
			vim.bo[buf].buflisted = true
		end
		P.follow(buf, name)
		for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
			local b = vim.api.nvim_win_get_buf(win)
			local plain = vim.api.nvim_win_get_config(win).relative == "" and vim.bo[b].buftype == "" and not vim.b[b].acp_kind
			if plain and not vim.wo[win].winfixbuf and not vim.wo[win].previewwindow then at = at or win end
		end
		if not at then
			vim.cmd("topleft new")
			at = vim.api.nvim_get_current_win()
		end
		vim.api.nvim_set_current_win(at)
		vim.api.nvim_win_set_buf(at, buf)
	end
	-- Goes to a line outside of conflicts.
	function P.line(where)
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		vim.api.nvim_win_set_cursor(0, { 1 + math.floor(where * #lines), 0 })
	end
	-- The sessions that have changed a file.
	function P.owners(name)
		local out = {}
		for _, c in ipairs(acp.changes()) do
			if vim.fs.basename(c.path) == name then table.insert(out, c.session) end
		end
		return out
	end
	function P.files()
		local out = {}
		for _, name in ipairs({ "a.txt", "b.txt", "c.txt" }) do
			if vim.fn.bufloaded(name) == 1 then
				table.insert(out, { name = name, text = P.text(name), modified = vim.bo[vim.fn.bufnr(name)].modified })
			end
		end
		return out
	end
	function P.floats()
		local n = 0
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "acp-permission" then n = n + 1 end
		end
		return n
	end
	function P.problems()
		local log = vim.fn.filereadable(vim.fn.stdpath("log") .. "/nvim-acp.log") == 1
			and vim.fn.readfile(vim.fn.stdpath("log") .. "/nvim-acp.log") or {}
		return vim.fn.execute("messages") .. "\n" .. table.concat(P.all, "\n") .. "\n" .. table.concat(log, "\n")
	end`

// rest lets all turns end: what is pending is answered, who must log in does. Then the laws hold.
func (p *gamer) rest() error {
	if p.detached {
		if err := p.attach(chatState{}); err != nil {
			return err
		}
	}
	var list []chatState
	var acted time.Time
	err := poll(2*patience, func() (_ bool, err error) {
		if list, err = p.sessions(); err != nil {
			return false, err
		}
		p.agent.release()
		calm, again := true, time.Since(acted) > 200*time.Millisecond
		for _, s := range list {
			switch {
			case s.Form && again:
				_ = p.stop(s)
				acted = time.Now()
			case s.Pending > 0:
				if !s.Form {
					_ = p.permit(s)
				}
			case s.State == "login" && again:
				p.lua(`require("nvim-acp.state").notify(require("nvim-acp.state").find(...), "login", { method = "browser" })`, s.ID)
				acted = time.Now()
			case s.State == "idle" && s.Waits == 0, s.State == "disconnected":
				continue
			}
			calm = false
		}
		var playing int
		p.agent.do(func() { playing = p.agent.playing })
		return calm && playing == 0, nil
	})
	if err != nil {
		return fmt.Errorf("no rest: %w: %+v", err, list)
	}
	p.note("rest")
	p.lua(`P.tidy()`)
	for _, law := range playerLaws {
		var broken error
		err := poll(patience, func() (bool, error) {
			list, err := p.sessions()
			if err == nil {
				broken = law.holds(p, list)
			}
			return broken == nil, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w: %w", law.name, broken, err)
		}
	}
	return nil
}

// playerLaws hold whenever nothing happens.
var playerLaws = []struct {
	name  string
	holds func(*gamer, []chatState) error
}{
	{"nothing is left to answer", (*gamer).answered},
	{"what was chosen holds", (*gamer).chosen},
	{"each prompt arrives once", (*gamer).arrives},
	{"what was typed stays", (*gamer).stays},
	{"nothing broke", (*gamer).unbroken},
}

func (p *gamer) answered(list []chatState) error {
	var open int
	p.agent.do(func() {
		for s := range p.agent.conns {
			open += len(s.answers)
		}
	})
	if floats := p.lua(`P.floats()`); open > 0 || floats != "0" {
		return fmt.Errorf("%d requests, %s floats", open, floats)
	}
	for _, s := range list {
		if s.Pending > 0 {
			return fmt.Errorf("%s has %d", s.ID, s.Pending)
		}
	}
	return nil
}

// came returns the prompts that came with a word.
func (p *gamer) came(word string) (list []heard) {
	p.agent.do(func() {
		for _, h := range p.agent.heard {
			if slices.Contains(h.blocks, word) {
				list = append(list, h)
			}
		}
	})
	return list
}

func (p *gamer) chosen([]chatState) error {
	for _, sent := range p.prompts {
		if p.closed[sent.session] { // and opened again, when the agent has its own mode
			continue
		}
		for _, h := range p.came("do " + sent.word) {
			had := append([]string{"ask"}, p.modes[sent.session]...)
			since := slices.Concat(had[sent.modes:], p.modes[p.from[sent.session]]) // it may begin with what is chosen there a moment later
			if !slices.Contains(since, h.mode) {
				return fmt.Errorf("%s came in mode %q, chosen was %q", sent.word, h.mode, since)
			}
		}
	}
	return nil
}

// arrives says of each prompt that it came once, or still waits: in a queue, in a prompt that it was given back to, or, if it was stopped
// before it was sent, in the transcript.
func (p *gamer) arrives(list []chatState) error {
	for i := range p.prompts {
		sent := &p.prompts[i]
		came := slices.DeleteFunc(p.came("do "+sent.word), func(h heard) bool { return h.refused })
		if len(came) > 1 {
			return fmt.Errorf("%s came %d times", sent.word, len(came))
		}
		if len(came) == 1 || sent.shown || p.closed[sent.session] || p.closed[sent.waits] {
			continue
		}
		waits := ""
		for _, s := range list {
			sent.shown = sent.shown || sent.stopped && strings.Contains(s.Text, sent.word)
			unsent := strings.Join(s.Queue, "\n") + s.Prompt
			if !strings.Contains(unsent, sent.word) {
				unsent = p.lua(`P.draft(...)`, s.ID)
			}
			if strings.Contains(unsent, sent.word) {
				waits = s.ID
			}
		}
		if waits != sent.waits && waits != "" {
			p.note("  %s of %s waits in %s", sent.word, sent.session, waits)
			sent.waits = waits
		}
		home := waits
		for home != sent.session && p.from[home] != "" { // the prompt before which a session goes on is there to be edited
			home = p.from[home]
		}
		if waits != "" && home != sent.session && !p.closed[sent.session] {
			return fmt.Errorf("%s of %s is in the prompt or queue of %s", sent.word, sent.session, waits)
		}
		if waits == "" && !sent.shown {
			return fmt.Errorf("%s of %s is nowhere; it was in %q", sent.word, sent.session, sent.waits)
		}
	}
	return nil
}

func (p *gamer) stays([]chatState) error {
	var files []struct {
		Name     string `msgpack:"name"`
		Text     string `msgpack:"text"`
		Modified bool   `msgpack:"modified"`
	}
	if err := p.e.ask(`return P.files()`, &files); err != nil {
		return err
	}
	for _, f := range files {
		has := wordsOf(f.Text)
		for w := range p.typed[f.Name] {
			if !has[w] {
				data, _ := os.ReadFile(filepath.Join(p.dir, f.Name))
				return fmt.Errorf("%s is not in %s: %q; disk: %q", w, f.Name, f.Text, data)
			}
		}
		data, err := os.ReadFile(filepath.Join(p.dir, f.Name))
		if !f.Modified && (err != nil || string(data) != f.Text) {
			return fmt.Errorf("%s is unmodified and not what is on the disk: %w: %q, %q", f.Name, err, data, f.Text)
		}
	}
	return nil
}

var broken = regexp.MustCompile(`.*(\bE\d+:|stack traceback|panic:|fatal error:).*`)

// elsewhere is what Neovim says of keys that were meant for a file and came to a window that has just opened.
var elsewhere = regexp.MustCompile(`E382:|E21:|E35:|E37:`)

func (p *gamer) unbroken([]chatState) error {
	for _, found := range broken.FindAllString(p.lua(`P.problems()`), -1) {
		if !elsewhere.MatchString(found) {
			return fmt.Errorf("%s", found)
		}
	}
	for _, pid := range p.hosts() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // gone
		}
		if m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(data); m != nil {
			if kb, _ := strconv.Atoi(string(m[1])); kb > 512<<10 {
				return fmt.Errorf("the host has %d MB", kb>>10)
			}
		}
	}
	return nil
}

func (p *gamer) hosts() []int {
	pids, _ := p.s.find("host") // without /proc none are found
	return pids
}
