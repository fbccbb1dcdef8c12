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
