--- Where the permission float is: within the chat's columns where they are wide enough, off the cursor of a user who
--- types elsewhere.
local M = {}

local api = vim.api

local wide_enough = 44 -- columns of a chat that the float stays in
local least, usual = 20, 72

---@class acp.FloatSpace
---@field left integer
---@field width integer columns that may be used, borders included
---@field bottom integer first row below it
---@field right integer the column after it
---@field rows integer rows that may be used, borders included
---@field within boolean it is the chat's own

--- Returns the space for a session's float.
---@param s acp.Session
---@param full boolean
---@return acp.FloatSpace
function M.space(s, full)
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  if full then
    return { left = 0, width = columns, right = columns, bottom = rows, rows = rows, within = false }
  end

  local over = require("nvim-acp.state.buffers").windows(s, "transcript", api.nvim_get_current_tabpage())[1]
  local most = math.min(usual + 2, math.floor(columns * 0.9))
  if not over then
    return { left = 0, width = most, right = columns, bottom = rows - 1, rows = rows, within = false }
  end

  local pos, width = api.nvim_win_get_position(over), api.nvim_win_get_width(over)
  local bottom = math.min(pos[1] + api.nvim_win_get_height(over), rows)
  if width >= wide_enough then
    return { left = pos[2], width = width, right = pos[2] + width, bottom = bottom, rows = bottom, within = true }
  end
  return { left = 0, width = most, right = pos[2] + width, bottom = bottom, rows = bottom, within = false }
end

--- Returns the width between the borders for lines of a width.
---@param space acp.FloatSpace
---@param widest integer
---@param full boolean
---@return integer
function M.width(space, widest, full)
  local most = math.max(space.width - 2, least)
  return full and most or math.max(math.min(widest, most), least)
end

-- Returns a row at which the float does not cover the cursor of a window, if there is one.
local function off_cursor(row, col, width, height, rows, win)
  local cursor = api.nvim_win_get_cursor(win)
  local at = vim.fn.screenpos(win, cursor[1], cursor[2] + 1)
  local beside = at.col <= col or at.col > col + width or at.row <= row or at.row > row + height
  if at.row == 0 or beside then
    return row
  elseif at.row + height <= rows then
    return at.row
  end
  return at.row - 1 >= height and at.row - 1 - height or row
end

--- Returns row and column of the float's upper left corner.
---@param space acp.FloatSpace
---@param width integer with borders
---@param height integer with borders
---@param typing integer? the window whose cursor stays visible
---@return integer row, integer col
function M.corner(space, width, height, typing)
  local row = math.max(space.bottom - height, 0)
  local col = math.max(space.right - width, 0)
  if space.within then
    col = space.left + math.floor((space.width - width) / 2)
  elseif typing then
    row = off_cursor(row, col, width, height, space.rows, typing)
  end
  return row, col
end

return M
