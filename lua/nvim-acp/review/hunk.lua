--- What there is to do at a change of an agent, by a command or a key.
local M = {}

local review = require("nvim-acp.review")

---@type table<string, fun(opts: acp.Decision)>
local actions = {
  next = function(opts)
    review.go(true, opts.count)
  end,
  prev = function(opts)
    review.go(false, opts.count)
  end,
  keep = function(opts)
    review.decide("keep", opts)
  end,
  revert = function(opts)
    review.decide("revert", opts)
  end,
  keep_file = function()
    review.decide("keep", { scope = "file" })
  end,
  list = function()
    require("nvim-acp.review.list").open("")
  end,
  undo = function()
    review.undo(false)
  end,
  redo = function()
    review.undo(true)
  end,
}

--- Returns what there is to do at a hunk.
---@return string[]
function M.actions()
  return vim.tbl_keys(actions)
end

--- Does something at the hunk under the cursor, or goes to another.
---@param what string of actions()
---@param opts acp.Decision? lines or a count
function M.run(what, opts)
  if actions[what] then
    return actions[what](opts or {})
  end
  local known = M.actions()
  table.sort(known)
  require("nvim-acp.ui.message").unknown("action", what, known)
end

require("nvim-acp.review.keys").run = M.run

return M
