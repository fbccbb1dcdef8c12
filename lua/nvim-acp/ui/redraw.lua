--- Draws what Neovim does not draw by itself, but never over what it says while it waits for the user: drawing anything
--- then takes away all lines of a message but the last.
local M = {}

local api = vim.api

--- Draws the screen while the user types at the command line, where nothing else is drawn. The prompt of input() may
--- have a list above it.
function M.at_command_line()
  if api.nvim_get_mode().mode:sub(1, 1) == "c" and vim.fn.getcmdtype():find("[:/?]") then
    vim.cmd.redraw()
  end
end

---@type table<integer, true> buffers that are drawn once the user has answered
local waiting = {}

--- Has all lines of windows that show a buffer drawn anew: after the user has answered, if Neovim asks something.
---@param buf integer
function M.buffer(buf)
  if waiting[buf] or not api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) == 0 then
    return
  end
  if api.nvim_get_mode().mode:sub(1, 1) ~= "r" then
    return api.nvim__redraw({ buf = buf, valid = false })
  end
  waiting[buf] = true
  api.nvim_create_autocmd("SafeState", {
    once = true,
    callback = function()
      waiting[buf] = nil
      M.buffer(buf)
    end,
  })
end

return M
