--- Names of files and commands in a line, which are not broken where a row has room for them: 'breakat' of 'linebreak',
--- which is for all windows, has "@", ":" and "." too. They begin in the next row instead.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.names")

-- Sets the mark of a name from the blank before it on, with empty cells before that blank where the row has no room for
-- the name. Between blank and name Neovim would count other cells than it draws, since the name's first character is in
-- 'breakat'.
local function place(buf, row, blank, to, id)
  local width, win = require("nvim-acp.ui.align").width(buf)
  id = api.nvim_buf_set_extmark(buf, ns, row, blank, { id = id, end_col = to, strict = false })
  if not win then
    return
  end
  local function cell(col)
    return vim.fn.virtcol({ row + 1, col }, true, win)[1] - 1
  end
  local function line_of(col)
    return math.floor(cell(col) / width)
  end
  local first = blank + 2 -- byte of the name, from 1
  local name = (api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""):sub(first, to)
  local fits = api.nvim_strwidth(name) <= width - 4
  if line_of(first) < line_of(fits and to or first + 1) then -- of a longer one the first at least is not alone
    local gap = (" "):rep(width - cell(first) % width)
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

--- Keeps a name whole that begins after a blank. Those of a line are set in their order.
---@param buf integer
---@param row integer from 0
---@param from integer byte, from 0
---@param to integer after the last
function M.set(buf, row, from, to)
  if from > 0 then
    place(buf, row, from - 1, to)
  end
end

--- Removes the marks of names.
---@param buf integer
---@param from integer row, from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  api.nvim_buf_clear_namespace(buf, ns, from, to)
end

-- Fits the names of rows, from 0, to the windows that show the buffer now, in their order: each moves those after it.
local function fit(buf, first, last)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, first, last, { details = true })) do
    place(buf, mark[2], mark[3], mark[4].end_col, mark[1])
  end
end

--- Keeps the commands of this plugin whole that lines name.
---@param buf integer
---@param row integer of the first, from 0
---@param lines string[]
function M.commands(buf, row, lines)
  for i, line in ipairs(lines) do
    if line:find(" :Acp", 1, true) then
      local at = row + i - 1
      for blank, to in line:gmatch("() :Acp%a+()") do
        place(buf, at, blank - 1, to - 1)
      end
      fit(buf, { at, 0 }, { at, -1 })
    end
  end
end

--- Fits all names to the windows that show the buffer now.
---@param buf integer
function M.fit(buf)
  fit(buf, 0, -1)
end

return M
