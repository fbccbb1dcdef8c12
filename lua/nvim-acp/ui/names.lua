--- Names of files and commands in a line, which are not broken where a row has room for them: 'breakat' of 'linebreak',
--- which is for all windows, has "@", ":" and "." too. They begin in the next row instead. Not in the prompt,
--- where cells that come and go would move the text under the cursor of whoever types.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.names")

---@type table<integer, integer|false> cells of a row of the narrowest window, by buffer; false: none shows it
local widths = {}

-- Neovim counts the cells of a line from its first byte on: in a line of names only, to look at all of them would take
-- the square of its length.
local far = 4096 -- the byte from which names of a line have no marks
local most = 16 * 1024 -- bytes that are counted for the names of a line

-- Sets the mark of a name from the blank before it on, with empty cells before that blank where the row has no room for
-- the name. Between blank and name Neovim would count other cells than it draws, since the name's first character is in
-- 'breakat'.
local function place(buf, row, blank, to, id, room)
  api.nvim_buf_set_extmark(buf, ns, row, blank, { id = id, end_col = to, strict = false })
  local function cell(col)
    return vim.fn.virtcol({ row + 1, col }, true, room.win)[1] - 1
  end
  local first = blank + 2 -- byte of the name, from 1
  local name = api.nvim_buf_get_text(buf, row, blank + 1, row, to, {})[1]
  local fits = api.nvim_strwidth(name) <= room.width - 4
  local begins, ends = cell(first), cell(fits and to or first + 1) -- of a longer one the first at least is not alone
  if math.floor(begins / room.width) < math.floor(ends / room.width) then
    local gap = (" "):rep(room.width - begins % room.width)
    api.nvim_buf_set_extmark(buf, ns, row, blank, {
      id = id,
      end_col = to,
      strict = false,
      virt_text = require("nvim-acp.ui.virtual").text({ { gap } }),
      virt_text_pos = "inline",
      hl_mode = "combine",
    })
  end
end

-- Fits the names of rows, from 0, in their order: each moves those after it.
local function fit(buf, first, last, room)
  local at, counted = nil, 0
  for _, mark in ipairs(room.win and api.nvim_buf_get_extmarks(buf, ns, first, last, { details = true }) or {}) do
    local id, row, blank, to = mark[1], mark[2], mark[3], mark[4].end_col
    counted = (row == at and counted or 0) + blank
    at = row
    if counted <= most and mark[4].end_row == row and to > blank then -- else the text ends before it
      place(buf, row, blank, to, id, room)
    end
  end
end

--- Keeps a name whole that begins after a blank, once its line is fitted.
---@param buf integer
---@param row integer from 0
---@param from integer byte, from 0
---@param to integer after the last
function M.set(buf, row, from, to)
  if from > 0 and from < far then
    api.nvim_buf_set_extmark(buf, ns, row, from - 1, { end_col = to, strict = false })
  end
end

--- Removes the marks of names.
---@param buf integer
---@param from integer row, from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  api.nvim_buf_clear_namespace(buf, ns, from, to)
end

--- Fits the names of lines that were drawn just now, and keeps the commands of this plugin whole that they name.
---@param buf integer
---@param row integer of the first, from 0
---@param lines string[]
function M.lines(buf, row, lines)
  for i, line in ipairs(lines) do
    if line:find(" :Acp", 1, true) then
      for blank, to in line:sub(1, far):gmatch("() :Acp%a+()") do
        M.set(buf, row + i - 1, blank, to - 1)
      end
    end
  end
  if #lines > 0 then
    fit(buf, { row, 0 }, { row + #lines - 1, -1 }, M.fit(buf))
  end
end

--- Fits all names to the windows that show the buffer, unless they fit already.
---@param buf integer
---@return acp.Room
function M.fit(buf)
  local width, win = require("nvim-acp.ui.align").width(buf)
  local room = { win = win, width = width }
  if widths[buf] ~= (width or false) then
    widths[buf] = width or false
    fit(buf, 0, -1, room)
  end
  return room
end

--- Drops the state of a deleted buffer.
---@param buf integer
function M.forget(buf)
  widths[buf] = nil
end

return M
