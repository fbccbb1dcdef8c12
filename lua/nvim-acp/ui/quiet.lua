--- Keys that change text do nothing in a window whose text cannot be changed, instead of failing with E21.
local M = {}

local edits = "iIaAoOcCsSxXdDpPrRJ~<>.u"

--- Has those keys do nothing that the window has not mapped.
---@param buf integer
function M.set(buf)
  local taken = {}
  for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, "n")) do
    taken[map.lhs] = true
  end
  for key in edits:gmatch(".") do
    local lhs = key == "<" and "<lt>" or key
    if not taken[key] and not taken[lhs] then
      vim.keymap.set("n", lhs, "<Nop>", { buffer = buf, nowait = true, desc = "" })
    end
  end
end

return M
