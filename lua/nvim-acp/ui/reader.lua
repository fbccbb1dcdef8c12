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
  vim.cmd("botright split")
  vim.wo.winfixbuf = false
  vim.api.nvim_win_set_buf(0, buf)
  vim.cmd.stopinsert() -- it may come while the prompt is being typed
  foreign.colour(buf, filetype)
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buf, nowait = true })
  return buf
end

return M
