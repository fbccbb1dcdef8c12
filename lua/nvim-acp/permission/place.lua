--- Where the permission float is: within the chat's columns where they are wide enough, else off the cursor of a user
--- who types elsewhere, and off the lines that the session is for.
local M = {}

local api = vim.api

local wide_enough = 44 -- columns of a chat that the float stays in
local least, usual = 20, 72
local share, enough = 0.6, 14 -- of the screen's rows, and rows, that may be used in a chat that has less

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
    -- what is above the chat is the user's, as far as that leaves enough
    local most_rows = math.min(bottom, math.max(bottom - pos[1], math.ceil(bottom * share), enough))
    return { left = pos[2], width = width, right = pos[2] + width, bottom = bottom, rows = most_rows, within = true }
  end
  return { left = 0, width = most, right = pos[2] + width, bottom = bottom, rows = bottom, within = false }
end

--- Returns the most columns that there are between the borders.
---@param space acp.FloatSpace
---@return integer
function M.most(space)
  return math.max(space.width - 2, least)
end

--- Returns the width between the borders for lines of a width.
---@param space acp.FloatSpace
---@param widest integer
---@param full boolean
---@return integer
function M.width(space, widest, full)
  local most = M.most(space)
  return full and most or math.max(math.min(widest, most), least)
end

---@class acp.FloatSpan screen cells that the float is not to cover, all from 1 and inclusive
---@field top integer
---@field bottom integer
---@field left integer
---@field right integer

-- Returns the cell of a window's cursor; 0 where it is not on the screen.
local function cursor(win)
  local at = api.nvim_win_get_cursor(win)
  local pos = vim.fn.screenpos(win, at[1], at[2] + 1)
  return { top = pos.row, bottom = pos.row, left = pos.col, right = pos.col }
end

-- Returns the screen row of a visible line in a window where lines do not wrap, also where it is scrolled sideways.
local function row_of(win, info, line)
  local above = { start_row = info.topline - 1, end_row = line - 2 }
  return info.winrow + info.winbar + (line > info.topline and api.nvim_win_text_height(win, above).all or 0)
end

-- Returns the visible lines of a buffer that the session is to change or to explain, with the line above them.
local function asked(s)
  local edit = package.loaded["nvim-acp.edit.place"]
  local p = edit and edit.all[s.id]
  for _, win in ipairs(p and api.nvim_tabpage_list_wins(0) or {}) do
    local info = vim.fn.getwininfo(win)[1]
    local first, last = edit.rows(p)
    first, last = math.max(first + 1, info.topline), math.min(math.max(last, first + 1), info.botline)
    if info.bufnr == p.buf and api.nvim_win_get_config(win).relative == "" and first <= last then
      local top, ends = vim.fn.screenpos(win, first, 1).row, require("nvim-acp.ui.window").line_end(win, last)
      if not vim.wo[win].wrap then
        top, ends = row_of(win, info, first), { row = row_of(win, info, last) }
      end
      if top > 0 then
        return {
          top = math.max(top - 1, info.winrow),
          bottom = ends and ends.row or info.winrow + info.height - 1,
          left = info.wincol,
          right = info.wincol + info.width - 1,
        }
      end
    end
  end
end

-- Returns the row nearest to the bottom at which the float covers none of the spans; where there is none, the last
-- span is given up first.
local function off(row, col, width, height, rows, spans)
  spans = vim.tbl_filter(function(span)
    return span.right > col and span.left <= col + width -- else it is beside the float
  end, spans)
  local candidates = { row }
  for _, span in ipairs(spans) do
    vim.list_extend(candidates, { span.bottom, span.top - 1 - height })
  end
  table.sort(candidates, function(a, b)
    return a > b
  end)
  for some = #spans, 1, -1 do
    for _, try in ipairs(candidates) do
      local free = try >= 0 and try + height <= math.max(rows, row + height)
      for i = 1, some do
        free = free and (spans[i].bottom <= try or spans[i].top > try + height)
      end
      if free then
        return try
      end
    end
  end
  return row
end

--- Returns row and column of the float's upper left corner.
---@param s acp.Session
---@param space acp.FloatSpace
---@param width integer with borders
---@param height integer with borders
---@param typing integer? the window whose cursor stays visible
---@return integer row, integer col
function M.corner(s, space, width, height, typing)
  local row = math.max(space.bottom - height, 0)
  local col = math.max(space.right - width, 0)
  if space.within then
    return row, space.left + math.floor((space.width - width) / 2)
  end
  local spans = { typing and cursor(typing) }
  spans[#spans + 1] = asked(s)
  return off(row, col, width, height, space.rows, spans), col
end

return M
