--- A short flash of the lines that an edit has changed, in windows that show them.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.flash")

local max_hunks = 200 -- of an edit

---@type table<integer, integer> by buffer: how many flashes it had; the last one clears
local flashes = {}

--- Flashes the lines of an edit.
---@param buf integer
---@param direct { first: integer, last: integer, count: integer }[] its hunks: rows before the edit, and lines after it
function M.show(buf, direct)
  local time = require("nvim-acp.config").options.fs.flash
  if time <= 0 or #direct == 0 or #vim.fn.win_findbuf(buf) == 0 then
    return
  end
  local shift = 0
  for i, h in ipairs(direct) do
    if i <= max_hunks and h.count > 0 then
      local first = h.first + shift
      local mark = { end_row = first + h.count, hl_group = "AcpFlash", hl_eol = true, priority = 200, strict = false }
      api.nvim_buf_set_extmark(buf, ns, first, 0, mark)
    end
    shift = shift + h.count - (h.last - h.first)
  end
  local n = (flashes[buf] or 0) + 1
  flashes[buf] = n
  vim.defer_fn(function()
    if flashes[buf] ~= n then
      return
    end
    flashes[buf] = nil
    if api.nvim_buf_is_valid(buf) then
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
  end, time)
end

return M
