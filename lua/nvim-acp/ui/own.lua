--- Whose a file is. Another user can put files where programs find each other.
local M = {}

--- Reports whether a path is a regular file or a socket of this user, and no link. Reading another kind could block.
---@param path string
---@param kind "file"|"socket"
---@return boolean
function M.is(path, kind)
  local stat = vim.uv.fs_lstat(path)
  return stat ~= nil and stat.type == kind and stat.uid == vim.uv.getuid()
end

return M
