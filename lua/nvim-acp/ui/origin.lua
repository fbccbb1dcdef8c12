--- Where the user was when a window of ours was opened, to come back to when it closes. Neovim goes to the previous
--- window of the tab page then, and to the first one if that has been closed meanwhile, as floats are.
local M = {}

local api = vim.api

---@class acp.Origin
---@field win integer
---@field previous integer the window before that, 0: none
---@field cursor integer[]
---@field typing boolean in Insert mode

---@type table<integer, acp.Origin> by window of ours
local origins = {}

--- Returns where the user is.
---@return acp.Origin
function M.here()
  return {
    win = api.nvim_get_current_win(),
    previous = vim.fn.win_getid(vim.fn.winnr("#")),
    cursor = api.nvim_win_get_cursor(0),
    typing = api.nvim_get_mode().mode:sub(1, 1) == "i",
  }
end

--- Notes that a window only covers another: a user who is in it has not left that one.
---@param win integer
---@param from integer
function M.cover(win, from)
  vim.w[win].acp_covers = from
end

--- Returns the window that the user is in, or that which it covers.
---@return integer
function M.current()
  return vim.w.acp_covers or api.nvim_get_current_win()
end

local group = api.nvim_create_augroup("nvim-acp.origin", { clear = true })

--- Notes where the user was before a window was opened. Whoever closes it with `:q` has the previous window back, too.
---@param win integer
---@param origin acp.Origin? nil: it is not known any more
function M.note(win, origin)
  for other in pairs(origins) do
    if not api.nvim_win_is_valid(other) then
      origins[other] = nil
    end
  end
  origins[win] = origin
  local closed = vim.schedule_wrap(function()
    local previous = vim.fn.winnr("#")
    local lost = previous == 0 or previous == vim.fn.winnr()
    if origin and origins[win] == origin and lost and api.nvim_get_current_win() == origin.win then -- not by close()
      M.back(origin)
    end
  end)
  api.nvim_create_autocmd("WinClosed", { group = group, pattern = tostring(win), once = true, callback = closed })
end

--- Goes back to a window, the previous window being what it was: then also what Neovim closes leads back.
---@param origin acp.Origin
---@return boolean there
function M.back(origin)
  local win, before = origin.win, origin.previous
  if not api.nvim_win_is_valid(win) then
    return false
  elseif api.nvim_get_current_win() ~= win then
    api.nvim_set_current_win(win)
  end
  local same = before ~= win and vim.fn.win_id2win(before) > 0 and vim.fn.win_getid(vim.fn.winnr("#")) ~= before
  if same and api.nvim_get_current_win() == win then
    local ex = require("nvim-acp.ui.ex")
    local sizes = ex.sizes() -- 'winwidth' and 'winheight' are for windows that the user enters
    ex.silently(function()
      api.nvim_set_current_win(before)
      api.nvim_set_current_win(win)
    end)
    sizes()
  end
  return true
end

-- Clears the command line where it has nothing but the ruler of a float that has gone: before 0.11 that stays.
local function clear_ruler()
  local row, before = vim.o.lines, vim.o.columns - 18
  local function blank(from, to)
    for col = from, to do
      if not vim.fn.screenstring(row, col):match("^ ?$") then
        return false
      end
    end
    return true
  end
  if blank(1, before) and not blank(before + 1, vim.o.columns) then
    vim.cmd("echo ''")
  end
end

--- Closes a window of ours. A user who is in it goes back; one who is in another that has been opened from it goes back
--- from there to where they were before.
---@param win integer
---@return boolean closed or to be closed; false: it is the last window, and stays
function M.close(win)
  local origin, here = origins[win], api.nvim_get_current_win()
  local closed = require("nvim-acp.ui.deferred").close(win, function()
    M.close(win)
  end)
  if not closed or api.nvim_win_is_valid(win) then
    return closed
  end
  origins[win] = nil
  if here == win and vim.fn.has("nvim-0.11") == 0 then
    clear_ruler()
  end
  if origin and here == win then
    M.back(origin)
  elseif origin and origins[here] and origins[here].win == win then
    origins[here] = origin
    M.back({ win = here, previous = origin.win, cursor = origin.cursor, typing = false })
  end
  return true
end

--- Calls a function with the window that the user has gone to when they have left one of ours. The command-line window
--- is no other one: it leads back, and nothing can be closed before.
---@param win integer
---@param fn fun(here: integer)
function M.when_left(win, fn)
  api.nvim_create_autocmd("BufLeave", {
    buffer = api.nvim_win_get_buf(win),
    callback = vim.schedule_wrap(function()
      local here = M.current()
      if api.nvim_win_is_valid(win) and here ~= win and vim.fn.getcmdwintype() == "" then
        fn(here)
      end
    end),
  })
end

return M
