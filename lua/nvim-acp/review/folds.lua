--- Signs at closed folds with changes to review.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.hunks.folds")
local hunks = api.nvim_create_namespace("nvim-acp.hunks")

local most = 1000 -- marks of a window that are looked at

local function rows(buf, first, last)
  if require("nvim-acp.review.marks").is_bare(buf) then
    return {}
  end
  local marks = api.nvim_buf_get_extmarks(buf, hunks, { first, 0 }, { last, -1 }, { limit = most })
  return vim.tbl_map(function(mark)
    return mark[2]
  end, marks)
end

local watching = false

--- Follows the folds of a buffer with changes.
---@param buf integer
function M.follow(buf)
  local known = require("nvim-acp.review.marks").known
  if not known(buf) and api.nvim_buf_is_valid(buf) then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
  if not watching then
    watching = true
    local signs = { rows = rows, known = known, own = true, icon = "added", group = "AcpReviewChanged" }
    require("nvim-acp.ui.folds").follow(ns, signs)
  end
end

return M
