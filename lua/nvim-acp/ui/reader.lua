--- A window for reading text, closed with q.
local M = {}

---@param name string
---@param lines string[]
---@param filetype string whose colours it has
---@return integer buf
function M.show(name, lines, filetype)
  local foreign = require("nvim-acp.ui.foreign")
  local buf = foreign.buffer(name, nil, lines, "nofile")
  vim.bo[buf].bufhidden = "wipe"
  local from = vim.api.nvim_get_current_win()
  local win = require("nvim-acp.ui.window").open(buf, true, { split = "below", win = -1 })
  vim.wo[win].winfixbuf = false
  vim.cmd.stopinsert() -- it may come while the prompt is being typed
  foreign.colour(buf, filetype)
  vim.keymap.set("n", "q", function()
    if pcall(vim.api.nvim_win_close, 0, false) and vim.api.nvim_win_is_valid(from) then
      vim.api.nvim_set_current_win(from) -- Neovim would choose another of several
    end
  end, { buffer = buf, nowait = true, desc = "close" })
  require("nvim-acp.ui.keys").map(buf)
  return buf
end

return M
