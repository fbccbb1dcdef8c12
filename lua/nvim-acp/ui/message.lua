--- Messages to the user: a line of vim.notify, short enough that Neovim never asks for a key.
local M = {}

---@param text string
---@param level integer vim.log.levels
function M.say(text, level)
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(level, text)

    local line = require("nvim-acp.ui.text").line("nvim-acp: " .. text, math.max(vim.o.columns - 12, 20))
    vim.notify(line, level, { title = "nvim-acp" })
  end)
end

--- Shows a message at once, for those who wait for what is done.
---@param text string
function M.now(text)
  require("nvim-acp.ui.logfile").write(vim.log.levels.INFO, text)
  local line = require("nvim-acp.ui.text").line("nvim-acp: " .. text, math.max(vim.o.columns - 12, 20))
  vim.notify(line, vim.log.levels.INFO, { title = "nvim-acp" })
  vim.cmd.redraw()
end

---@param text string
function M.info(text)
  M.say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

return M
