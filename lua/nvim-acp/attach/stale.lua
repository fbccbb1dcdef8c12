--- Buffers that are older than their file on disk. An attached host gets the text that each was read with, as the base
--- to merge the newer file into it.
local M = {}

local api = vim.api

-- Checks buffers in batches, so that keys are handled in between.
local function step(bufs, i)
  for j = i, math.min(i + 9, #bufs) do
    if api.nvim_buf_is_loaded(bufs[j]) then
      require("nvim-acp.ui.try").call(require("nvim-acp.files.watch").compare, bufs[j])
    end
  end
  if i + 10 <= #bufs then
    vim.schedule(function()
      step(bufs, i + 10)
    end)
  end
end

--- Reports to the host the buffers below the folders of sessions whose file has changed.
---@param sessions acp.DetachedSession[]
function M.look(sessions)
  local roots = {}
  for _, s in ipairs(sessions) do
    vim.list_extend(roots, vim.list_extend({ s.cwd }, s.dirs))
  end
  step(require("nvim-acp.files.watch").below(roots), 1)
end

return M
