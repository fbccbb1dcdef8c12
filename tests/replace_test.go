package tests

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// TestReplace replaces lines at random: the text is as if lines had been set; marks and extmarks of lines that are changed
// or not touched stay on them, also in columns before and behind what changes; one undo gives back the text
// (behaviour 1423).
func TestReplace(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	e := raceEditor(t, t.TempDir(), "")
	var wrong []string
	if err := e.ExecLua(luaReplace, &wrong, seed); err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong {
		t.Error(line)
	}
}

// luaReplace returns what was wrong in one round.
const luaReplace = `
math.randomseed(...)
local api, random, replace = vim.api, math.random, require("nvim-acp.files.replace")
local ns = api.nvim_create_namespace("test")
local pieces = { "a", "ä", "é€", "b c", "\0", "x", "" }

local function line()
	local out = {}
	for i = 1, random(0, 5) do
		out[i] = pieces[random(#pieces)]
	end
	return table.concat(out)
end

local function lines(n)
	local out = {}
	for i = 1, n do
		out[i] = line()
	end
	return out
end

-- Returns ordered hunks for so many rows.
local function hunks(rows)
	local out, row = {}, 0
	while row <= rows do
		local first = random(row, rows)
		local last = random(first, math.min(rows, first + 4))
		table.insert(out, { first = first, last = last, lines = lines(random(last > first and 0 or 1, 4)) })
		row = last + random(1, 6)
	end
	return out
end

for round = 1, 150 do
	vim.cmd("enew!")
	local old = lines(random(1, 24))
	api.nvim_buf_set_lines(0, 0, -1, false, old)
	vim.bo.undolevels = vim.bo.undolevels
	replace.most_lines, replace.most_bytes = random(4) == 1 and random(0, 6) or 1000, random(4) == 1 and 0 or 4096
	local list = hunks(#old)
	local want = require("nvim-acp.files.rebase").apply(old, list)
	if #want == 0 then
		want = { "" }
	end

	local kept, cells = 0, {}
	for _, h in ipairs(list) do
		kept = kept + math.min(h.last - h.first, #h.lines)
	end
	for row = 0, #old - 1 do
		api.nvim_buf_set_mark(0, string.char(97 + row), row + 1, 0, {})
		cells[row] = api.nvim_buf_set_extmark(0, ns, row, #old[row + 1], {})
	end

	replace.hunks(api.nvim_get_current_buf(), list)
	local problems = {}
	if not vim.deep_equal(api.nvim_buf_get_lines(0, 0, -1, false), want) then
		table.insert(problems, "text " .. vim.inspect(api.nvim_buf_get_lines(0, 0, -1, false)) .. ", not " .. vim.inspect(want))
	end
	local shift, i = 0, 1
	for row = 0, #old - 1 do
		while list[i] and row >= list[i].last and row > list[i].first - 1 do
			shift = shift + #list[i].lines - (list[i].last - list[i].first)
			i = i + 1
		end
		local h = list[i]
		local inside = h and row >= h.first
		if not inside or (row - h.first < #h.lines and kept <= replace.most_lines) then
			local mark = api.nvim_buf_get_mark(0, string.char(97 + row))[1]
			local cell = api.nvim_buf_get_extmark_by_id(0, ns, cells[row], {})
			if mark ~= row + shift + 1 then
				table.insert(problems, ("the mark of row %d is in line %d, not %d"):format(row, mark, row + shift + 1))
			end
			if cell[1] ~= row + shift or cell[2] ~= #want[row + shift + 1] then
				table.insert(problems, ("the end of row %d is at %d:%d"):format(row, cell[1], cell[2]))
			end
		end
	end

	if not vim.deep_equal(old, want) then
		vim.cmd("silent undo")
	end
	if not vim.deep_equal(api.nvim_buf_get_lines(0, 0, -1, false), old) then
		table.insert(problems, "one undo gives " .. vim.inspect(api.nvim_buf_get_lines(0, 0, -1, false)))
	end
	if #problems > 0 then
		table.insert(problems, 1, ("round %d: %s by %s"):format(round, vim.inspect(old), vim.inspect(list)))
		return problems
	end
end
return {}
`
