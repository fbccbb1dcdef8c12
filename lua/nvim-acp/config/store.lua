--- Small tables that outlive Neovim, each a JSON file below stdpath("state") that nobody else can read.
local M = {}

--- Returns a table that is encoded as an object, also when it is empty.
---@param t table?
---@return table
function M.object(t)
  return (t == nil or next(t) == nil) and vim.empty_dict() or t
end

---@param name string
---@return string path
function M.path(name)
  return ("%s/nvim-acp/%s.json"):format(vim.fn.stdpath("state"), name)
end

---@param name string
---@return table empty if there is none
function M.read(name)
  local value = require("nvim-acp.ui.disk").json(M.path(name))
  return type(value) == "table" and value or {}
end

--- Writes a table atomically.
---@param name string
---@param value table
---@return boolean written
function M.write(name, value)
  local ok, text = pcall(vim.json.encode, M.object(value))
  return ok and require("nvim-acp.config.atomic").write(M.path(name), text)
end

return M
