--- Signs at closed folds in which an agent edits lines, or has answered: neither the line above them is seen there, nor
--- are the keys set.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edits.folds")
local place = require("nvim-acp.edit.place")

local function rows(buf)
  local list = {}
  for _, p in pairs(place.all) do
    if p.buf == buf and not p.aside then
      table.insert(list, (place.rows(p)))
    end
  end
  table.sort(list)
  return list
end

local watching = false

-- Reports whether a buffer has places, or has had some of which signs are left.
local function known(buf)
  for _, p in pairs(place.all) do
    if p.buf == buf then
      return true
    end
  end
  return #api.nvim_buf_get_extmarks(buf, ns, 0, -1, { limit = 1 }) > 0
end

--- Follows the folds of buffers with places.
function M.follow()
  if not watching then
    watching = true
    require("nvim-acp.ui.folds").follow(ns, { rows = rows, known = known, icon = "edit", group = "AcpKindEdit" })
  end
end

return M
