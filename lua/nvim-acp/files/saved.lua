--- What a modified buffer was last read or written with.
local M = {}

local api = vim.api

-- Returns the number of the change after which a buffer was read or written last; 0: before all changes; nil if the
-- undo history does not reach back to that ('undolevels').
local function saved_at(buf)
  local tree = api.nvim_buf_call(buf, vim.fn.undotree)
  local at, first
  local function look(entries)
    for _, entry in ipairs(entries) do
      if entry.save == tree.save_last then
        at = entry.seq
      end
      first = math.min(first or entry.seq, entry.seq)
      look(entry.alt or {})
    end
  end
  look(tree.entries)
  if tree.save_last == 0 and first == 1 then
    return 0
  end
  return at
end

--- Returns the lines that a modified buffer was last read or written with, from a copy with the same undo history; nil
--- if the history does not reach back to them.
---@param buf integer
---@return string[]?
function M.lines(buf)
  local written = require("nvim-acp.files.written").lines(buf)
  if written then
    return written
  end
  local at = saved_at(buf)
  if not at then
    return nil
  end
  local ex, quiet = require("nvim-acp.ui.ex"), { silent = true }
  local file = vim.fn.tempname()
  local copy = api.nvim_create_buf(false, true)
  local ok, lines = pcall(function()
    api.nvim_buf_call(buf, function()
      ex.run({ cmd = "wundo", args = { file }, mods = quiet })
    end)
    api.nvim_buf_set_lines(copy, 0, -1, false, api.nvim_buf_get_lines(buf, 0, -1, false))
    return api.nvim_buf_call(copy, function()
      ex.run({ cmd = "rundo", args = { file }, mods = quiet })
      ex.run({ cmd = "undo", count = at, mods = quiet })
      return api.nvim_buf_get_lines(copy, 0, -1, false)
    end)
  end)
  vim.fn.delete(file)
  api.nvim_buf_delete(copy, {})
  if ok then
    return lines
  end
end

return M
