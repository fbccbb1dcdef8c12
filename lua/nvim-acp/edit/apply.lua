--- Takes answers into buffers: only the lines that differ, as one undo step, unsaved.
local M = {}

local place = require("nvim-acp.edit.place")

local function apply(p, hunks)
  local first = place.rows(p)
  require("nvim-acp.files.replace").hunks(
    p.buf,
    vim.tbl_map(function(h)
      return { first = first + h.first, last = first + h.last, lines = h.lines }
    end, hunks)
  )
end

-- Asks the host for the hunks that make the answer of the lines as they are.
local function hunks_of(p, more)
  local args = vim.tbl_extend("error", { session = p.s.id, lines = place.lines(p) }, more or {})
  return require("nvim-acp.rpc").ask("edit_take", args)
end

--- Takes the answer that is shown, or another text in its place.
---@param p acp.Place
---@param more { base: string[], text: string[], changed: boolean }? that text, and what it was made from
---@return boolean taken
function M.take(p, more)
  local message = require("nvim-acp.ui.message")
  if place.all[p.s.id] ~= p then
    message.warn("this edit has ended")
    return false
  elseif not vim.bo[p.buf].modifiable then
    message.warn("not changed: 'modifiable' is off")
    return false
  end
  local at_work = require("nvim-acp.files.cursors").active(p.buf) -- which would have other rows then
  if at_work then
    message.warn(("not taken: end the work with %s first"):format(at_work))
    return false
  end
  local first, last = place.rows(p)
  if first == last then
    local key = require("nvim-acp.config").options.keys.edit_change
    message.warn("the lines are gone" .. (key and "; " .. key .. " shows the answer in a window" or ""))
    return false
  end
  local got = hunks_of(p, more)
  if not got then
    message.warn("there is nothing to take")
    return false
  end
  apply(p, got.hunks)
  local from = first
  for _, h in ipairs(got.hunks) do
    require("nvim-acp.review").taken(p.buf, from + h.first + 1, from + h.first + #h.lines)
    from = from + #h.lines - (h.last - h.first)
  end
  p.rows.top, p.rows.bottom = first, last + from - first -- with the lines that were added at their end
  require("nvim-acp.files.conflict").mark(p.buf, got.conflicts)
  return true
end

return M
