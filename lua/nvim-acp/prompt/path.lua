--- Paths as they are written in a prompt: relative to the session's folder where they are below that.
local M = {}

--- The absolute path of a name that is written in a prompt.
---@param s acp.Session
---@param name string
---@return string
function M.absolute(s, name)
  if name:match("^~/") then
    name = vim.fs.normalize(name)
  end
  return name:sub(1, 1) == "/" and name or vim.fs.joinpath(s.cwd, name)
end

--- A path as it is written in a prompt of a session.
---@param s acp.Session
---@param path string absolute
---@return string
function M.name(s, path)
  local root = s.cwd == "/" and "/" or s.cwd .. "/"
  if vim.startswith(path, root) then
    return path:sub(#root + 1)
  end
  return path
end

return M
