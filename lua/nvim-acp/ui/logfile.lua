--- The log file: messages to the user, whole, and how agents ended. The host adds their traffic, if configured.
local M = {}

local names = { "DEBUG", "INFO", "WARN", "ERROR" }

---@type "debug"|"info"|"warn"|"error" the lowest level that is written, set by the configuration
M.level = "warn"
local max_size = 16 * 1024 * 1024 -- bytes before it is rotated
local most = 64 * 1024 -- bytes of a text

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
  text = #text > most and text:sub(1, most) .. "\n(cut: it has " .. #text .. " bytes)" or text
  local line = text:gsub("[^\n]+", require("nvim-acp.ui.text").visible):gsub("\n", "\n    ")
  local at = os.date("%Y-%m-%d %H:%M:%S")
  require("nvim-acp.ui.disk").append(path, ("%s %s %s\n"):format(at, names[level], line))
end

return M
