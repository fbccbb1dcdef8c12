--- Where files open: in the last used ordinary window of the tab.
local M = {}

local api = vim.api

-- When each window was last entered, as a count.
---@type table<integer, integer>
local entered = {}
local count = 0

-- Reports whether a window is for files: no float, tree, help, list, terminal or chat, and not fixed to its buffer.
local function ordinary(win)
  local buf = api.nvim_win_get_buf(win)
  local kind = vim.bo[buf].buftype
  return api.nvim_win_get_config(win).relative == ""
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and (kind == "" or kind == "acwrite")
    and vim.b[buf].acp_session == nil
end

--- Returns the last used ordinary window of the tab, nil if there is none.
---@return integer?
function M.last()
  local here, before = api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#"))
  local best, rank
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if ordinary(win) then
      local r = win == here and math.huge or entered[win] or (win == before and 0 or -1)
      if not best or r > rank then
        best, rank = win, r
      end
    end
  end
  return best
end

-- A narrower screen has no room for a chat beside the code, a lower one none for a chat below it.
local wide_enough, high_enough = 80, 16

--- Returns where chats open: as configured, or where a side layout has no room below the code, or in a tab.
---@return string
function M.layout()
  local chat = require("nvim-acp.config").options.chat
  local side = chat.layout == "right" or chat.layout == "left"
  if not side or chat.width or vim.o.columns >= wide_enough then
    return chat.layout
  end
  return vim.o.lines >= high_enough and "bottom" or "tab"
end

-- Opens a window at the left of all others, or above them where the chat is below.
local function beside(buf)
  local below = M.layout() == "bottom"
  local win = require("nvim-acp.ui.window").open(buf, true, { split = below and "above" or "left", win = -1 })
  vim.wo[win].winfixbuf = false
  vim.wo[win].winfixwidth = false
  return win
end

--- Shows a buffer in the last used ordinary window, else in a new one, and goes there.
---@param buf integer
function M.show(buf)
  local win = M.last()
  if not win then
    beside(buf)
  elseif pcall(api.nvim_win_set_buf, win, buf) then
    api.nvim_set_current_win(win)
  else -- its own buffer can neither be hidden nor left
    beside(buf)
  end
end

--- Watches which windows are used.
function M.watch()
  api.nvim_create_autocmd("WinEnter", {
    group = api.nvim_create_augroup("nvim-acp.windows", {}),
    callback = function()
      count = count + 1
      entered[api.nvim_get_current_win()] = count
    end,
  })
  api.nvim_create_autocmd("WinClosed", {
    group = "nvim-acp.windows",
    callback = function(args)
      entered[tonumber(args.match) or 0] = nil
    end,
  })
end

return M
