package tests

import (
	"flag"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var rowRounds = flag.Int("rows", 40, "places around which lines change at random")

// TestEditRows changes the lines around those of an edit at random, several times between two looks of the plugin, and undoes and
// redoes that (behaviours 607, 609): the edit is always at its lines.
func TestEditRows(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	e := raceEditor(t, t.TempDir(), "")
	var wrong []string
	if err := e.ExecLua(luaRows, &wrong, seed, *rowRounds); err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong {
		t.Error(line)
	}
}

// luaRows plays rounds, and returns what was done in one at whose end the place is elsewhere.
const luaRows = `
local seed, rounds = ...
math.randomseed(seed)
local api, place, random = vim.api, require("nvim-acp.edit.place"), math.random
require("nvim-acp.state").notify = function() return true end
local log, fresh, p, base

local function all() return api.nvim_buf_get_lines(0, 0, -1, false) end

local function text()
	fresh = fresh + 1
	return "line " .. fresh
end

local function run(command)
	table.insert(log, command)
	vim.cmd("silent " .. command)
end

-- Returns the rows of the lines of the place, by their text.
local function rows()
	local first, last
	for i, line in ipairs(all()) do
		if line:find("^place") then
			first, last = first or i - 1, i
		end
	end
	return first, last
end

-- Returns a line before or after which others can be inserted: the one above, or 0.
local function gap()
	local first, last = rows()
	local count = api.nvim_buf_line_count(0)
	local n = random(0, first + 1 + count - last)
	return n <= first and n or last + n - first - 1
end

-- Returns a range of lines outside, from 1; nil if there are fewer than so many.
local function range(least)
	local first, last = rows()
	local from, to = 1, first
	if random(2) == 1 then
		from, to = last + 1, api.nvim_buf_line_count(0)
	end
	if to - from + 1 < least then
		return nil
	end
	local a = random(from, to - least + 1)
	return a, random(a + least - 1, math.min(to, a + 3))
end

local function ranged(command, least)
	return function()
		local a, b = range(least or 1)
		if a then
			run(a .. "," .. b .. command)
		end
	end
end

local function insert()
	run(("call append(%d, %s)"):format(gap(), vim.inspect(text())))
end

local acts = {
	insert, ranged("delete"), ranged("join", 2), ranged("sort!"), ranged("s/line/LINE/e"), ranged(">"),
	function()
		local a, b = range(1)
		local to = gap()
		if a and (to < a - 1 or to > b) then
			run(("%d,%dmove %d"):format(a, b, to))
		end
	end,
	function()
		local a, b = range(1)
		if a then
			run(("%d,%dcopy %d"):format(a, b, gap()))
		end
	end,
	function()
		local first, last = rows()
		run(("exe \"normal! %dG%s%s\\<Esc>\""):format(last, "o", text()))
	end,
	function()
		local first = rows()
		run(("exe \"normal! %dG%s%s\\<Esc>\""):format(first + 1, "O", text()))
	end,
	function()
		local a, b = range(1)
		if a then
			run(("call nvim_buf_set_lines(0, %d, %d, 0, ['%s', '%s'])"):format(a - 1, b, text(), text()))
		end
	end,
	function()
		if random(8) == 1 then
			ranged("!cat; echo more")()
		end
	end,
	function()
		if vim.fn.changenr() > base then
			run("undo")
		end
	end,
	function() run("redo") end,
}

-- Waits until the plugin has looked.
local function look()
	table.insert(log, "look")
	vim.wait(5000, function() return not p.due end, 1)
end

local function part() run("let &undolevels = &undolevels") end

-- Changes the lines of the place too, and undoes that.
local function harm()
	part()
	look()
	local first, last = rows()
	local before = vim.fn.changenr()
	local how = { "%delete", "%!cat", "%sort!", last .. "delete", first + 1 .. "delete", "%join", ("%d,%dsort!"):format(first + 1, last) }
	run(how[random(#how)])
	if vim.fn.changenr() == before then
		return
	end
	look()
	run("undo")
	look()
	if random(2) == 1 then
		run("redo")
		look()
		run("undo")
		look()
	end
	insert()
end

for round = 1, rounds do
	vim.cmd("enew!")
	log, fresh = {}, 0
	local lines, own = {}, {}
	for _ = 1, random(0, 5) do table.insert(lines, text()) end
	local first = #lines
	for i = 1, random(3) do table.insert(own, "place " .. i) end
	vim.list_extend(lines, own)
	for _ = 1, random(0, 5) do table.insert(lines, text()) end
	api.nvim_buf_set_lines(0, 0, -1, false, lines)
	vim.cmd("let &undolevels = &undolevels")
	base = vim.fn.changenr()
	table.insert(log, table.concat(lines, ","))
	p = place.new({ id = "round" .. round }, api.nvim_get_current_buf(), { first + 1, first + #own }, {})
	for _ = 1, 25 do
		if random(10) == 1 then
			harm()
		else
			acts[random(#acts)]()
		end
		if random(2) == 1 then part() end
		if random(2) == 1 then
			look()
			if not vim.deep_equal(place.lines(p), own) then
				table.insert(log, "place: " .. table.concat(place.lines(p), ","))
				table.insert(log, "text: " .. table.concat(all(), ","))
				return log
			end
		end
	end
	place.remove(p)
end
return {}
`
