--- Signs at closed folds over something that is drawn in a buffer: of a fold Neovim shows the signs of its first line
--- only, and no virtual lines.
local M = {}

local api = vim.api

---@class acp.FoldSigns
---@field rows fun(buf: integer, first: integer, last: integer): integer[] the rows of what is drawn, from 0, in order
---@field known fun(buf: integer): boolean whether there is something
---@field own boolean? what is at the first row of a fold is seen there by itself
---@field icon string of the icons
---@field group string

-- Adds the first rows of the folds that are closed in a window over something.
local function add_closed(signs, buf, win, folds)
  local rows = signs.rows(buf, vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1)
  api.nvim_win_call(win, function()
    local to = -1 -- the last row of the fold before
    for _, row in ipairs(rows) do
      if row > to then
        local at = vim.fn.foldclosed(row + 1) - 1
        to = vim.fn.foldclosedend(row + 1) - 1 -- -2 where none is
        if at >= 0 and (at < row or not signs.own) then
          folds[at] = true
        end
      end
    end
  end)
end

-- Reports whether a window shows a row that is not the first one of a closed fold.
local function is_open(win, row)
  return api.nvim_win_call(win, function()
    local line = row + 1
    return vim.fn.line("w0") <= line and line <= vim.fn.line("w$") and vim.fn.foldclosed(line) ~= line
  end)
end

-- Signs the folds that are closed in all windows of a buffer in which they are seen: a sign is in each of them.
local function update(signs, ns, buf)
  if not api.nvim_buf_is_loaded(buf) then
    return
  end
  local wins = vim.tbl_filter(function(win)
    return api.nvim_win_get_buf(win) == buf
  end, api.nvim_tabpage_list_wins(0))
  local folds = {} ---@type table<integer, true?>
  for _, win in ipairs(wins) do
    add_closed(signs, buf, win, folds)
  end
  for row in pairs(folds) do
    folds[row] = not vim.iter(wins):any(function(win)
      return is_open(win, row)
    end) or nil
  end
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, {})) do
    if folds[mark[2]] then
      folds[mark[2]] = nil -- it is there
    else
      api.nvim_buf_del_extmark(buf, ns, mark[1])
    end
  end
  for row in pairs(folds) do
    local text = require("nvim-acp.ui.style").icons()[signs.icon]
    local opts = { sign_text = text, sign_hl_group = signs.group, priority = 12, strict = false }
    api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
  end
end

--- Follows the folds of buffers from now on. No event says that a fold is opened or closed, but its window is drawn.
---@param ns integer of the signs
---@param signs acp.FoldSigns
function M.follow(ns, signs)
  local drawn = {} ---@type table<integer, true>
  api.nvim_set_decoration_provider(ns, {
    on_win = function(_, _, of)
      drawn[of] = signs.known(of) or nil
      return false
    end,
    on_end = function()
      local due = vim.tbl_keys(drawn)
      drawn = {}
      if #due > 0 then
        vim.schedule(function() -- nothing may change while windows are drawn
          for _, each in ipairs(due) do
            require("nvim-acp.ui.try").call(update, signs, ns, each)
          end
        end)
      end
    end,
  })
end

return M
