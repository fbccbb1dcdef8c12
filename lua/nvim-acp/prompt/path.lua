--- Paths in a prompt: relative to the session's folder if they are below it.
local M = {}

--- Returns the absolute path of a name in a prompt.
---@param s acp.Session
---@param name string
---@return string
function M.absolute(s, name)
  if name:match("^~/") then
    name = vim.fs.normalize(name)
  end
  return name:sub(1, 1) == "/" and name or vim.fs.joinpath(s.cwd, name)
end

--- Returns a path as it is written in a prompt of a session.
---@param s acp.Session
---@param path string absolute
---@return string
function M.name(s, path)
  local root = s.cwd == "/" and "/" or s.cwd .. "/"
  if vim.startswith(path, root) then
    local name = path:sub(#root + 1)
    return name ~= "" and name or "./"
  end
  return path
end

return M
