package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

var wordPattern = regexp.MustCompile(`[ua]\d{5}z`)

func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range wordPattern.FindAllString(text, -1) {
		set[w] = true
	}
	return set
}

// countWords says how often each word is in a text.
func countWords(text string) map[string]int {
	n := map[string]int{}
	for _, w := range wordPattern.FindAllString(text, -1) {
		n[w]++
	}
	return n
}

// span is a time in which someone wrote the file on the disk, and the words that it then had.
type span struct {
	from, to time.Time
	words    map[string]bool
	only     bool      // just these words were added
	wrote    time.Time // when the writing began
}

// ledger knows of each word who has written it and who has taken it away. What the user did is in Neovim (userLedger).
type ledger struct {
	mu    sync.Mutex // guards all below
	agent map[string]bool
	gone  map[string]string // words that need not be there, and why
	disks []span            // what the agent wrote on the disk since the last check
	began time.Time
	log   []string // what happened last
	what  map[string]string
}

func newLedger() *ledger {
	return &ledger{agent: map[string]bool{}, gone: map[string]string{}, began: time.Now(), what: map[string]string{}}
}

func (l *ledger) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = append(l.log, fmt.Sprintf("%9.4f ", time.Since(l.began).Seconds())+fmt.Sprintf(format, args...))
	if len(l.log) > 4000 {
		l.log = slices.Clone(l.log[2000:])
	}
}

// agents notes what an agent's text has that the one before had not, and the other way round.
func (l *ledger) agents(before, after string) {
	was, is := countWords(before), countWords(after)
	var added, taken []string
	l.mu.Lock()
	for w := range is {
		if was[w] == 0 {
			l.agent[w] = true
			added = append(added, w)
		}
	}
	for w := range was {
		if is[w] < was[w] { // or one of several
			l.gone[w] = "the agent has taken it away"
			taken = append(taken, w)
		}
	}
	l.mu.Unlock()
	l.note("agent: + %v - %v", added, taken)
}

// forget lets go of the words that one text has and another has not.
func (l *ledger) forget(before, after string) {
	is := wordsOf(after)
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range wordsOf(before) {
		if !is[w] {
			l.gone[w] = "the agent has read that it is gone"
		}
	}
}

// wroteAt reports whether the agent wrote the file on the disk at about that time.
func (l *ledger) wroteAt(at time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.disks, func(d span) bool {
		return d.from.Add(-50*time.Millisecond).Before(at) && d.to.Add(50*time.Millisecond).After(at)
	})
}

// disk notes that the agent has read the file on the disk, then written it.
func (l *ledger) disk(from, wrote time.Time, text string, only bool) {
	l.note("agent: wrote")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.disks = append(l.disks, span{from, time.Now(), wordsOf(text), only, wrote})
}

// saved takes the saves since the last check: where one was made while the agent wrote the disk itself, one may have
// overwritten the other, and nobody could do anything about it.
func (l *ledger) saved(saves []span) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.disks {
		for _, s := range saves {
			if d.from.After(s.to) || s.from.After(d.to) {
				continue
			}
			for w := range d.words {
				if !s.words[w] {
					l.gone[w] = "a save has overwritten it"
				}
			}
			// Both write in place: at the same time the file becomes a mixture.
			mixed := !d.only && !d.wrote.After(s.to)
			for w := range s.words {
				if mixed && d.words[w] {
					l.gone[w] = "a save and the agent's writing were mixed"
				}
				if !d.words[w] && !d.only {
					l.gone[w] = "the agent has overwritten a save"
				}
			}
		}
	}
	l.disks = nil
}

// userState is what Neovim knows: the text, and of each word whether the user has written ("add") or taken it away last.
type userState struct {
	Text     string            `msgpack:"text"`
	Words    map[string]string `msgpack:"words"`
	Saves    []userSave        `msgpack:"saves"`
	Problems []string          `msgpack:"problems"`
	Edits    int               `msgpack:"edits"`
	Modified bool              `msgpack:"modified"`
	Log      []userNote        `msgpack:"log"`
}

type userNote struct {
	At   float64 `msgpack:"at"`
	What string  `msgpack:"what"`
}

type userSave struct {
	From  float64 `msgpack:"from"`
	To    float64 `msgpack:"to"`
	Words string  `msgpack:"words"`
}

func (s userSave) span() span {
	at := func(seconds float64) time.Time { return time.UnixMicro(int64(seconds * 1e6)) }
	return span{from: at(s.From), to: at(s.To), words: wordsOf(s.Words)}
}

// missing are the words that should be there.
func (l *ledger) missing(u userState) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	has := wordsOf(u.Text)
	var out []string
	for w, last := range u.Words {
		if last == "add" && !has[w] && l.gone[w] == "" {
			out = append(out, w)
		}
	}
	for w := range l.agent {
		if !has[w] && u.Words[w] == "" && l.gone[w] == "" {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// story is what is known of some words.
func (l *ledger) story(words []string, u userState) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := slices.Clone(l.log)
	for _, n := range u.Log {
		log = append(log, fmt.Sprintf("%9.4f nvim: %s", n.At-float64(l.began.UnixMicro())/1e6, n.What))
	}
	slices.Sort(log)
	first := len(log)
	for i, line := range log {
		for _, w := range words {
			if strings.Contains(line, w) {
				first = min(first, i)
			}
		}
	}
	return strings.Join(log[max(0, first-30):], "\n")
}

// userLedger watches a buffer: what changes while no edit of an agent's is made, the user has done.
const userLedger = `
	local buf = vim.api.nvim_get_current_buf()
	local L = { words = {}, saves = {}, problems = {}, log = {}, edits = 0, ours = false, undo = {} }
	_G.ledger = L
	local function now() local s, us = vim.uv.gettimeofday() return s + us / 1e6 end
	local function note(what)
		table.insert(L.log, { at = now(), what = what })
		if #L.log > 6000 then L.log = vim.list_slice(L.log, 3000) end
	end
	local mirror = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
	local function count(lines, set)
		for _, l in ipairs(lines) do for w in l:gmatch("[ua]%d%d%d%d%dz") do set[w] = (set[w] or 0) + 1 end end
		return set
	end
	local function changed(old, new)
		local was, is = count(old, {}), count(new, {})
		local gone, come = {}, {}
		for w in pairs(was) do if not is[w] then if not L.ours then L.words[w] = "del" end table.insert(gone, w) end end
		for w in pairs(is) do if not was[w] then if not L.ours then L.words[w] = "add" end table.insert(come, w) end end
		if #gone + #come > 0 then
			note((L.ours and "edit" or "user") .. " + " .. table.concat(come, " ") .. " - " .. table.concat(gone, " "))
		end
	end
	vim.api.nvim_buf_attach(buf, false, {
		on_lines = function(_, _, _, first, last, new)
			local old = vim.list_slice(mirror, first + 1, last)
			local lines = vim.api.nvim_buf_get_lines(buf, first, new, false)
			local rest = vim.list_slice(mirror, last + 1)
			for i = #mirror, first + 1, -1 do mirror[i] = nil end
			vim.list_extend(mirror, lines)
			vim.list_extend(mirror, rest)
			changed(old, lines)
		end,
		on_reload = function()
			table.insert(L.problems, "Neovim has read the file again: " .. debug.traceback())
			mirror = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
		end,
		on_detach = function() table.insert(L.problems, "the buffer was unloaded") end,
	})
	local edit = require("nvim-acp.files.edit")
	local original = edit.edit
	-- What is left of the cursor where the user types a word, and whether that is in the agent's half of a conflict.
	local function typing()
		if vim.api.nvim_get_current_buf() ~= buf or vim.fn.mode() ~= "i" then return end
		local at = vim.api.nvim_win_get_cursor(0)
		local left = vim.api.nvim_get_current_line():sub(1, at[2])
		if not left:find("u%d*z?$") then return end
		local lines, half = vim.api.nvim_buf_get_lines(buf, 0, -1, false), false
		for _, c in ipairs(require("nvim-acp.files.conflict").among(lines)) do
			if at[1] - 1 > c.split and at[1] - 1 < c.last then half = true end
		end
		return left, half
	end
	edit.edit = function(e)
		local before = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
		local typed, there = typing()
		L.ours = true
		local answer = original(e)
		L.ours = false
		local still, half = typing()
		if typed and (still ~= typed or half and not there) then
			table.insert(L.problems, ("an edit has moved what is typed: %s, now %s%s"):format(typed, tostring(still), half and " of the agent" or ""))
		end
		if answer.result == "ok" then
			L.edits = L.edits + 1
			local now = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
			L.undo = vim.deep_equal(before, now) and {} or { nr = vim.api.nvim_buf_call(buf, vim.fn.changenr), before = before, after = now }
		end
		note("edit " .. answer.result .. (answer.reason and " " .. answer.reason or "") .. (e.taken and " taken" or " written"))
		return answer
	end
	local from
	local taken = require("nvim-acp.files.merged")
	taken.patience = 10000 -- the machine may be busy with other tests
	local first = taken.merge_first
	taken.merge_first = function(args)
		from = now()
		note("saves")
		first(args)
		L.waited = now()
		note("saves: waited")
	end
	vim.api.nvim_create_autocmd("BufWritePost", { buffer = buf, callback = function()
		local words = {}
		for w in pairs(count(vim.api.nvim_buf_get_lines(buf, 0, -1, false), {})) do table.insert(words, w) end
		if not L.ours then table.insert(L.saves, { from = from, to = now(), words = table.concat(words, " ") }) end
		note("saved, " .. (vim.bo[buf].modified and "modified" or "unmodified"))
	end })
	-- Undo and redo give back just what was there.
	function L.check_undo()
		if vim.api.nvim_get_current_buf() ~= buf or vim.fn.mode() ~= "n" then return end
		local function lines() return vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
		local nr, before = vim.fn.changenr(), lines()
		local tree = vim.fn.undotree()
		if tree.seq_cur ~= tree.seq_last or nr ~= L.undo.nr or not vim.deep_equal(before, L.undo.after) then return end
		local words = vim.deepcopy(L.words)
		vim.cmd("silent undo")
		if not vim.deep_equal(lines(), L.undo.before) then table.insert(L.problems, "undo of an edit gives another text") end
		vim.cmd("silent redo")
		if not vim.deep_equal(lines(), before) then table.insert(L.problems, "redo of an edit gives another text") end
		L.words = words
		L.undos = (L.undos or 0) + 1
	end
	function L.state()
		local saves, log = L.saves, L.log
		L.saves = {}
		return { text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") .. "\n", words = next(L.words) and L.words or vim.empty_dict(),
			saves = saves, problems = L.problems, edits = L.edits, modified = vim.bo[buf].modified, log = {} }
	end
	local function fixed(lines)
		for _, l in ipairs(lines) do if l:match("top") or l:match("bottom") or l:match("<<<<<<<") or l:match("=======") or l:match(">>>>>>>") then return true end end
	end
	_G.user_del = function()
		local a, b = vim.fn.line("v"), vim.fn.line(".")
		local lines = vim.api.nvim_buf_get_lines(0, math.min(a, b) - 1, math.max(a, b), false)
		local many = vim.api.nvim_buf_line_count(0) > 60
		local ok = many and not fixed(lines) and vim.api.nvim_get_current_buf() == buf
		return ok and (vim.fn.mode() == "n" and "dd" or "d") or (vim.fn.mode() == "n" and "" or "<Esc>")
	end
	vim.keymap.set({ "n", "x" }, "<F6>", user_del, { expr = true })
	vim.keymap.set("i", "<C-s>", "<Cmd>w<CR>")
	vim.keymap.set("n", "<F5>", function()
		local row
		repeat
			row = math.random(2, vim.api.nvim_buf_line_count(0) - 1)
		until not fixed(vim.api.nvim_buf_get_lines(0, row - 1, row, false))
		return row .. "G"
	end, { expr = true })`
