--- Writes files so that each is as it was or as it is to be, whenever Neovim is killed and however full the disk is.
local M = {}

local uv = vim.uv

--- Writes a file that only the user can read. Its folder is made, if need be.
---@param path string
---@param text string
---@return boolean written false: it is as it was
function M.write(path, text)
  require("nvim-acp.ui.disk").folder(vim.fs.dirname(path), "700")
  local temp = path .. "." .. uv.os_getpid()
  local fd = uv.fs_open(temp, "w", 384) -- 0600
  if not fd then
    return false
  end
  local written = uv.fs_write(fd, text)
  local closed = uv.fs_close(fd)
  if written == #text and closed and uv.fs_rename(temp, path) then
    return true
  end
  uv.fs_unlink(temp)
  return false
end

return M
