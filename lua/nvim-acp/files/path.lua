--- The identity of files, and of their versions.
local M = {}

--- Returns the identity of a file: its real path, or its folder's with the name if it does not exist.
---@param name string
---@return string
function M.real(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder and (folder == "/" and "" or folder) .. "/" .. vim.fs.basename(name) or name
end

--- Reports whether Neovim would write a buffer to a file. It opens that by a name relative to its current directory,
--- where it can: that may lead elsewhere than the full name, through a link that was changed, or from a directory that
--- was moved.
---@param buf integer
---@param path string its real path
---@return boolean
function M.leads(buf, path)
  return M.real(vim.api.nvim_buf_get_name(buf)) == path and M.real(vim.fn.bufname(buf)) == path
end

--- Returns the fields that tell versions of a file apart, as the host compares them.
---@param path string
---@return { sec: integer, nsec: integer, size: integer, ino: integer }?
function M.stat(path)
  local st = vim.uv.fs_stat(path)
  return st and { sec = st.mtime.sec, nsec = st.mtime.nsec, size = st.size, ino = st.ino }
end

--- Reports whether a path is one of some folders or below one.
---@param path string
---@param folders string[]
---@return boolean
function M.inside(path, folders)
  for _, folder in ipairs(folders) do
    if path == folder or vim.startswith(path, folder == "/" and "/" or folder .. "/") then
      return true
    end
  end
  return false
end

return M
