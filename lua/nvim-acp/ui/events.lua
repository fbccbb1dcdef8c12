--- `User` autocommands.
local M = {}

---@param name string "AcpReady", "AcpTurnStart", …
---@param data table
function M.emit(name, data)
  vim.api.nvim_exec_autocmds("User", { pattern = name, modeline = false, data = data })
end

return M
