--- A window for reading text, closed with q.
local M = {}

---@param name string
---@param lines string[]
---@param filetype string
---@return integer buf
function M.show(name, lines, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  pcall(vim.api.nvim_buf_set_name, buf, ("acp://%s/%d"):format(name, buf))
  vim.cmd("botright split")
  vim.wo.winfixbuf = false
  vim.api.nvim_win_set_buf(0, buf)
  vim.cmd.stopinsert() -- it may come while the prompt is being typed
  vim.bo[buf].filetype = filetype
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buf, nowait = true })
  return buf
end

return M
