--- The line at which the user types: an edit never takes away what is left of their cursor.
local M = {}

local api = vim.api

---@type integer? the buffer in which the user has typed since Insert mode began
local typed
---@type table<integer, integer> the changedtick after the last edit of an agent, by buffer
local edited = {}

--- Watches for what the user types.
function M.follow()
  local group = api.nvim_create_augroup("nvim-acp.typing", { clear = true })
  api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    group = group,
    callback = function()
      typed = nil
    end,
  })
  api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, {
    group = group,
    callback = function(args)
      typed = api.nvim_buf_get_changedtick(args.buf) ~= edited[args.buf] and args.buf or typed
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    callback = function(args)
      edited[args.buf] = nil
    end,
  })
end

---@class acp.Typing
---@field line string
---@field col integer

--- Returns the line at which the user types in a buffer, nil if they do not.
---@param buf integer
---@return acp.Typing?
function M.at(buf)
  if typed ~= buf or buf ~= api.nvim_get_current_buf() or api.nvim_get_mode().mode:sub(1, 1) ~= "i" then
    return nil
  end
  return { line = api.nvim_get_current_line(), col = api.nvim_win_get_cursor(0)[2] }
end

--- Puts the line back, after an edit, if the agent has taken it away while the user types there: it is the user's then.
---@param buf integer
---@param was acp.Typing?
function M.restore(buf, was)
  edited[buf] = api.nvim_buf_get_changedtick(buf)
  local now = was and M.at(buf)
  if not was or not now or now.col == was.col and now.line:sub(1, now.col) == was.line:sub(1, was.col) then
    return
  end
  local row = api.nvim_win_get_cursor(0)[1]
  vim.cmd("silent! undojoin") -- with the edit, so that undo gives back what was there
  api.nvim_buf_set_lines(buf, row - 1, row - 1, false, { was.line })
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  api.nvim_win_set_cursor(0, { row, was.col })
  edited[buf] = api.nvim_buf_get_changedtick(buf)
end

return M
