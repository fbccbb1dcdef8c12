package tests

import "testing"

// Of each change of rows it is known which rows those of an edit are afterwards (behaviours 607, 609): of changes above, below, at the
// edges and in the middle, also where lines are joined, replaced, and moved as they were.
func TestEditRowsTable(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "")
	if got := run(luaRowsTable); got != "" {
		t.Error(got)
	}
}

// luaRowsTable follows changes of ten lines, a to j, around a place at the rows from 3 to the one before 6.
const luaRowsTable = `
local rows, wrong = require("nvim-acp.edit.rows"), {}
local function lines(text) return vim.split(text, "") end
local function find_in(text)
	return function(first, last, old)
		local list = {}
		for row = first, last - 3 do
			if text:sub(row + 1, row + 3) == "def" then table.insert(list, row) end
		end
		return vim.list_contains(list, old) and old or #list == 1 and list[1] or nil, 3
	end
end
-- The changes of a tick, each as FROM,TO,NEW and the text after it; the rows at its end, and whether extmarks may be elsewhere.
for _, test in ipairs({
	{ "0,0,1 xabcdefghij", "4-7" }, -- inserted above
	{ "3,3,5 abcxxdefghij", "5-8" },
	{ "6,6,8 abcdefxxghij", "3-6" },
	{ "9,9,10 abcdefghixj", "3-6" },
	{ "4,4,6 abcdxxefghij", "3-8" },
	{ "0,2,0 cdefghij", "1-4" }, -- deleted
	{ "1,3,1 adefghij", "1-4" },
	{ "3,4,3 abcefghij", "3-5" },
	{ "5,6,5 abcdeghij", "3-5" },
	{ "3,6,3 abcghij", "3-3" },
	{ "6,8,6 abcdefij", "3-6" },
	{ "2,4,2 abefghij", "2-4 torn" },
	{ "5,7,5 abcdehij", "3-5 torn" },
	{ "2,7,2 abhij", "2-2 torn" },
	{ "0,10,0 ", "0-0 torn" },
	{ "3,4,4 abcXefghij", "3-6" }, -- changed
	{ "3,6,6 abcXYZghij", "3-6 torn" },
	{ "3,6,5 abcXYghij", "3-5 torn" },
	{ "2,4,4 abXYefghij", "3-6 torn" },
	{ "2,4,3 abXefghij", "3-5 torn" }, -- joined with the line above, which it is not in any more
	{ "5,7,6 abcdeXhij", "3-5 torn" }, -- and with that below
	{ "2,7,3 abXhij", "2-2 torn" },
	{ "1,8,8 aXXXXXXXij", "3-6 torn" },
	{ "1,8,8 aXXdefXXij", "3-6 torn" }, -- as it was, in other lines
	{ "1,8,9 aXXXdefXXij", "4-7 torn" },
	{ "1,8,5 adefXij", "1-4 torn" },
	{ "1,8,9 adefdefXij", "1-1 torn" }, -- which of them?
	{ "1,8,9 aXXdefdefi", "3-6 torn" }, -- that at its old rows
	{ "3,4,3 abcefghij", "3,3,4 abcXefghij", "3-6 torn" }, -- its first line is replaced, in two steps
	{ "3,3,4 abcXdefghij", "4,5,4 abcXefghij", "4-6 torn" },
	{ "6,6,9 abcdefDEFghij", "3,6,3 abcDEFghij", "3-6 torn" }, -- a filter, which inserts first
	{ "3,3,6 abcDEFdefghij", "6,9,6 abcDEFghij", "6-6 torn" },
	{ "0,0,1 xabcdefghij", "0,1,0 abcdefghij", "3-6" }, -- elsewhere
	{ "8,8,9 abcdefghxij", "8,9,8 abcdefghij", "3-6" },
	{ "6,6,7 abcdefxghij", "6,7,6 abcdefghij", "3-6 torn" },
}) do
	local r = rows.new(3, 6, 1)
	rows.remember(r, { "d", "e", "f" })
	local text
	for i = 1, #test - 1 do
		local from, to, new
		from, to, new, text = test[i]:match("(%d+),(%d+),(%d+) (.*)")
		rows.at(r, 2)
		rows.change(r, tonumber(from), tonumber(to), tonumber(new), find_in(text))
	end
	local torn = rows.settle(r, 2, function(first, last) return lines(text:sub(first + 1, last)) end)
	local got = r.top .. "-" .. r.bottom .. (torn and " torn" or "")
	if got ~= test[#test] then
		table.insert(wrong, table.concat(test, "; ", 1, #test - 1) .. ": got " .. got .. ", want " .. test[#test])
	end
	if r.put or r.begun or r.jumped or r.cut or r.came or r.went or r.near or r.torn then
		table.insert(wrong, "something is left of a tick that is over: " .. vim.inspect(r))
	end
end
return table.concat(wrong, "\n")
`

// Of the edits of a buffer it is known which are at a row, which a range overlaps, and which are in its way though their lines are gone
// (behaviours 404, 468, 1263).
func TestEditPlaces(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "")
	if got, want := run(luaPlaces), placesWant; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const placesWant = `at: 0 - 1 a 2 a 3 - 4 gone 5 b 6 - 7 - 8 last 9 -
over 1-1: -
over 1-2: a
over 3-3: a
over 3-6: a b
over 4-5: -
over 6-6: b
over 7-9: -
over 1-9: a b
other: there
order: a dropped gone b last
swept 1-1: -
swept 4-4: gone
swept 3-3: -
swept 5-5: gone
swept 6-6: -
swept 7-9: last
swept 8-8: last
swept 1-8: gone last`

// luaPlaces has, in nine lines, a at 2 to 3, b at 6, a dropped one at 4, and two whose lines are gone: before 5, and below all.
const luaPlaces = `
local api, place, out = vim.api, require("nvim-acp.edit.place"), {}
require("nvim-acp.state").notify = function() return true end
api.nvim_buf_set_lines(0, 0, -1, false, { "1", "2", "3", "4", "5", "6", "7", "8" })
local buf = api.nvim_get_current_buf()
local function new(name, first, last, more)
	local p = place.new({ id = name }, buf, { first, last }, more or {})
	return p
end
new("b", 6, 6)
new("last", 9, 8)
new("a", 2, 3)
new("gone", 5, 4)
new("dropped", 4, 4, { aside = true })
local other = api.nvim_create_buf(false, true)
place.new({ id = "there" }, other, { 1, 1 }, {})
local function names(list)
	local all = vim.tbl_map(function(p) return p.s.id end, list)
	return #all > 0 and table.concat(all, " ") or "-"
end
local at = {}
for row = 0, 9 do
	local p = place.at(buf, row)
	table.insert(at, row .. " " .. (p and p.s.id or "-"))
end
table.insert(out, "at: " .. table.concat(at, " "))
for _, range in ipairs({ { 1, 1 }, { 1, 2 }, { 3, 3 }, { 3, 6 }, { 4, 5 }, { 6, 6 }, { 7, 9 }, { 1, 9 } }) do
	table.insert(out, ("over %d-%d: %s"):format(range[1], range[2], names(place.overlapped(buf, range))))
end
table.insert(out, "other: " .. names(place.overlapped(other, { 1, 1 })))
table.insert(out, "order: " .. names(place.of(buf)))
local gone = {}
place.on_gone = function(p) table.insert(gone, p) end
for _, range in ipairs({ { 1, 1 }, { 4, 4 }, { 3, 3 }, { 5, 5 }, { 6, 6 }, { 7, 9 }, { 8, 8 }, { 1, 8 } }) do
	gone = {}
	place.sweep(buf, range)
	table.insert(out, ("swept %d-%d: %s"):format(range[1], range[2], names(gone)))
end
return table.concat(out, "\n")
`
