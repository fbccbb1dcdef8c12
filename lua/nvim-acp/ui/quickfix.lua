--- The one door to quickfix lists: their text is an agent's, so the keys of their windows are guarded, whoever opens
--- them.
local M = {}

local api = vim.api

local function protect(buf)
  if vim.bo[buf].buftype == "quickfix" then
    require("nvim-acp.ui.keys").protect(buf)
  end
end

--- Makes a list, or replaces one.
---@param action " "|"r"
---@param what table
function M.set(action, what)
  vim.fn.setqflist({}, action, what)
  api.nvim_create_autocmd("FileType", {
    group = api.nvim_create_augroup("nvim-acp.quickfix", { clear = true }),
    pattern = "qf",
    callback = function(args)
      protect(args.buf)
    end,
  })
  for _, buf in ipairs(api.nvim_list_bufs()) do
    protect(buf)
  end
end

--- Opens the window of quickfix lists over the whole width, or says that there is no room for it.
function M.open()
  local opened = require("nvim-acp.ui.ex").quietly(function()
    vim.cmd("botright copen")
    return true
  end)
  if not opened then
    require("nvim-acp.ui.message").warn("no room for the quickfix window: use :cnext")
  end
end

return M
