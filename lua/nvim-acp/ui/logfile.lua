--- The log file: messages to the user, whole, and how agents ended. The host adds their traffic, if configured.
local M = {}

local names = { "DEBUG", "INFO", "WARN", "ERROR" }

---@type "debug"|"info"|"warn"|"error" the lowest level that is written, set by the configuration
M.level = "warn"
local max_size = 16 * 1024 * 1024 -- bytes before it is rotated

---@return string
function M.path()
  return vim.fn.stdpath("log") .. "/nvim-acp.log"
end

--- Adds a line, and further ones indented, if the level is high enough.
---@param level integer vim.log.levels
---@param text string
function M.write(level, text)
  if level < vim.log.levels[M.level:upper()] then
    return
  end
  local path = M.path()
  pcall(vim.fn.mkdir, vim.fs.dirname(path), "p") -- without a folder there is no log
  local stat = vim.uv.fs_stat(path)
  if stat and stat.size > max_size then
    vim.uv.fs_rename(path, path .. ".old")
  end
  local fd = vim.uv.fs_open(path, "a", 384) -- 0600
  if fd then
    local line = text:gsub("[^\n]+", require("nvim-acp.ui.text").visible):gsub("\n", "\n    ")
    vim.uv.fs_write(fd, ("%s %s %s\n"):format(os.date("%Y-%m-%d %H:%M:%S"), names[level], line))
    vim.uv.fs_close(fd)
  end
end

return M
