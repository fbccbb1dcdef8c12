--- The options that setup() was given, until something needs them.
local M = {}

---@type acp.Config?
M.options = nil

return M
