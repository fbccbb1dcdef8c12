--- Signs at closed folds with changes to review: of a fold Neovim shows the signs of its first line only.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.hunks.folds")
local hunks = api.nvim_create_namespace("nvim-acp.hunks")

local most = 1000 -- marks of a window that are looked at

-- Adds the first rows of the folds that are closed in a window over changes that are not at these rows.
local function add_closed(buf, win, folds)
  local first, last = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win) - 1
  local marks = api.nvim_buf_get_extmarks(buf, hunks, { first, 0 }, { last, -1 }, { limit = most })
  api.nvim_win_call(win, function()
    local to = -1 -- the last row of the fold before
    for _, mark in ipairs(marks) do
      local row = mark[2]
      if row > to then
        local at = vim.fn.foldclosed(row + 1) - 1
        to = vim.fn.foldclosedend(row + 1) - 1 -- -2 where none is
        if at >= 0 and at < row then
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
local function update(buf)
  if not api.nvim_buf_is_loaded(buf) then
    return
  end
  local wins = vim.tbl_filter(function(win)
    return api.nvim_win_get_buf(win) == buf
  end, api.nvim_tabpage_list_wins(0))
  local folds = {} ---@type table<integer, true?>
  for _, win in ipairs(require("nvim-acp.review.marks").is_bare(buf) and {} or wins) do
    add_closed(buf, win, folds)
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
    local sign = require("nvim-acp.ui.style").icons().added
    local opts = { sign_text = sign, sign_hl_group = "AcpReviewChanged", priority = 12, strict = false }
    api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
  end
end

local watching = false

--- Follows the folds of a buffer with changes. No event says that a fold is opened or closed, but its window is drawn.
---@param buf integer
function M.follow(buf)
  if not require("nvim-acp.review.marks").known(buf) and api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
  if watching then
    return
  end
  watching = true
  local drawn = {} ---@type table<integer, true>
  api.nvim_set_decoration_provider(ns, {
    on_win = function(_, _, of)
      drawn[of] = require("nvim-acp.review.marks").known(of) or nil
      return false
    end,
    on_end = function()
      local due = vim.tbl_keys(drawn)
      drawn = {}
      if #due > 0 then
        vim.schedule(function() -- nothing may change while windows are drawn
          for _, each in ipairs(due) do
            require("nvim-acp.ui.try").call(update, each)
          end
        end)
      end
    end,
  })
end

return M
