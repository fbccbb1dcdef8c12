--- Whether the user was in Insert mode when they last sent a prompt or left one, for `chat.insert = "last"`.
local M = {}

local typing ---@type boolean?

--- Stores whether the user is in Insert mode, for chats that are opened later, also after a restart.
---@param on boolean
function M.note(on)
  if M.was() ~= on then
    typing = on
    require("nvim-acp.config.store").write("typing", { on = on })
  end
end

--- Reports whether the user was in Insert mode.
---@return boolean
function M.was()
  if typing == nil then
    typing = require("nvim-acp.config.store").read("typing").on == true
  end
  return typing
end

--- Follows the prompt of a buffer.
---@param buf integer
function M.follow(buf)
  vim.api.nvim_create_autocmd("WinLeave", {
    buffer = buf,
    callback = function()
      local empty = vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_get_current_line() == ""
      local on = vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
      if on or not empty then -- who only looks at an empty prompt has not chosen a mode
        M.note(on)
      end
    end,
  })
end

return M
