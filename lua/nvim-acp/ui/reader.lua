--- A window for reading text, closed with q. What is asked for again in it comes in its place.
local M = {}

---@param name string
---@param lines string[]
---@param filetype string whose colours it has
---@return integer buf
function M.show(name, lines, filetype)
  local foreign = require("nvim-acp.ui.foreign")
  local buf = foreign.buffer(name, nil, lines, "nofile")
  vim.bo[buf].bufhidden = "wipe"
  local origin = require("nvim-acp.ui.origin")
  if vim.b.acp_reader == name then
    vim.api.nvim_win_set_buf(0, buf)
  else
    local from = origin.here()
    local win = require("nvim-acp.ui.window").open(buf, true, { split = "below", win = -1 })
    origin.note(win, from)
    require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").whole)
    vim.wo[win].winfixbuf = false
  end
  vim.b[buf].acp_reader = name
  vim.cmd.stopinsert() -- it may come while the prompt is being typed
  foreign.colour(buf, filetype)
  vim.keymap.set("n", "q", function()
    origin.close(vim.api.nvim_get_current_win())
  end, { buffer = buf, nowait = true, desc = "close" })
  return buf
end

return M
