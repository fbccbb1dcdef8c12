--- What Neovim refuses for now, done as soon as it does not. While the expression of a mapping is evaluated no text and
--- no window changes (E565); in the command-line window no buffer is deleted and no other window entered (E11).
local M = {}

local api = vim.api

-- Reports whether text is locked.
local function locked()
  local _, err = pcall(api.nvim_win_close, -1, true) -- there is no such window, but the lock is looked at first
  return err:find("E565", 1, true) ~= nil
end

-- Calls a function that was deferred.
local function again(how, fn)
  return vim.schedule_wrap(function()
    how(fn)
  end)
end

--- Calls a function as soon as text and windows may be changed.
---@param fn fun()
function M.unlocked(fn)
  if locked() then
    vim.defer_fn(again(M.unlocked, fn), 20) -- no event says that it is over
  else
    fn()
  end
end

--- Calls a function as soon as buffers may be deleted, too, and all windows be entered and closed. Those that are
--- deferred keep their order.
---@param fn fun()
function M.outside(fn)
  if vim.fn.getcmdwintype() ~= "" then
    api.nvim_create_autocmd("CmdwinLeave", { once = true, callback = again(M.outside, fn) })
  else
    M.unlocked(fn)
  end
end

--- Deletes a buffer with what is in it, and closes its windows.
---@param buf integer
function M.delete(buf)
  M.outside(function()
    if api.nvim_buf_is_valid(buf) then
      api.nvim_buf_delete(buf, { force = true })
    end
  end)
end

--- Closes a window: at once in the command-line window, too, unless that was opened from it.
---@param win integer
---@param fn fun()? called instead of closing it, where that is refused for now, as soon as it is not
---@return boolean closed or to be closed; false: it is the last window, and stays
function M.close(win, fn)
  local ok, err = true, ""
  if api.nvim_win_is_valid(win) then
    ok, err = pcall(api.nvim_win_close, win, true)
  end
  if ok or not err:find("E11:") and not err:find("E565:") then
    return ok
  end
  M.outside(fn or function()
    M.close(win)
  end)
  return true
end

return M
