--- The mode in which one comes to a prompt, in whatever way: `chat.insert`, and for "last" whether the user was in
--- Insert mode when they last sent a prompt or left one.
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

--- Reports whether a prompt begins in Insert mode when the user comes to it.
---@return boolean
function M.inserts()
  local insert = require("nvim-acp.config").options.chat.insert
  if insert == "last" then
    return M.was()
  end
  return insert == true
end

local waits ---@type integer? the buffer that the user has gone to, in which one cannot type yet

--- Begins in the prompt's mode, once one can type there. Called when the user has gone to it.
---@param buf integer|false|nil the prompt's buffer, if it has a window
function M.begin(buf)
  waits = nil
  if not buf or not M.inserts() then
    vim.cmd.stopinsert() -- a mapping of Insert mode
  elseif vim.bo[buf].modifiable then
    vim.cmd.startinsert({ bang = true })
  else
    waits = buf
  end
end

--- Begins in Insert mode in a prompt in which one can type now, if its user has waited for that.
---@param buf integer
function M.resume(buf)
  if waits ~= buf or not vim.bo[buf].modifiable then
    return
  end
  waits = nil
  if vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode == "n" then
    vim.cmd.startinsert({ bang = true })
  end
end

--- Leaves Insert mode in a prompt in which one can type no more, until one can again.
---@param buf integer
function M.hold(buf)
  if vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
    vim.cmd.stopinsert()
    waits = buf
  end
end

--- Follows the prompt of a buffer.
---@param buf integer
function M.follow(buf)
  vim.api.nvim_create_autocmd("WinLeave", {
    buffer = buf,
    callback = function()
      waits = nil
      local empty = vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_get_current_line() == ""
      local on = vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
      if on or not empty then -- who only looks at an empty prompt has not chosen a mode
        M.note(on)
      end
    end,
  })
end

return M
