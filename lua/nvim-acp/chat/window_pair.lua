--- Keeps the two windows of a chat together: closing one closes the other.
local M = {}

local api = vim.api

local function buffers()
  return require("nvim-acp.state.buffers")
end

local function chat_window(win)
  return vim.b[api.nvim_win_get_buf(win)].acp_kind ~= nil
end

---@type table<integer, integer> the window from which the user came to the chat, by tab
local origin = {}

-- Goes back to that window from a chat that was closed, unless the user is in another chat by now.
local function go_back(tab)
  local win = origin[tab]
  if chat_window(api.nvim_get_current_win()) then
    return
  end
  local here = tab == api.nvim_get_current_tabpage() or not api.nvim_tabpage_is_valid(tab) -- closed with the chat
  if here and win and api.nvim_win_is_valid(win) then
    api.nvim_set_current_win(win)
  end
end

--- Notes the window from which the user came to a chat in a tab of its own.
---@param win integer
function M.came(win)
  origin[api.nvim_get_current_tabpage()] = win
end

-- Returns the listed buffer that was used last, other than those of chats; a new one if there is none.
local function another()
  local last
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    if vim.b[info.bufnr].acp_kind == nil and (not last or info.lastused > last.lastused) then
      last = info
    end
  end
  return last and last.bufnr or api.nvim_create_buf(true, false)
end

local function close(win)
  if not pcall(api.nvim_win_close, win, false) then -- the last window shows another buffer instead
    vim.w[win].acp_shows = nil
    api.nvim_win_set_buf(win, another())
  end
end

--- Closes the windows of a chat in a tab. The session stays.
---@param s acp.Session
---@param tab integer
function M.close(s, tab)
  local wins = vim.list_extend(buffers().windows(s, "prompt", tab), buffers().windows(s, "transcript", tab))
  require("nvim-acp.ui.deferred").outside(function()
    local inside = chat_window(api.nvim_get_current_win())
    vim.tbl_map(close, vim.tbl_filter(api.nvim_win_is_valid, wins))
    if inside then
      go_back(tab)
    end
  end)
end

-- Closes what is left of a chat of which a window was closed.
local function follow(s, kind, tab, inside)
  local other = kind == "prompt" and "transcript" or "prompt"
  if not api.nvim_tabpage_is_valid(tab) or #buffers().windows(s, kind, tab) > 0 then
    return
  end
  local left = buffers().windows(s, other, tab)
  vim.tbl_map(close, left)
  if inside and #left > 0 then
    go_back(tab)
  end
end

local watching = false

--- Watches the windows of chats. Called with the first chat.
function M.watch()
  if watching then
    return
  end
  watching = true
  require("nvim-acp.chat.mksession")
  local group = api.nvim_create_augroup("nvim-acp.pair", {})
  api.nvim_create_autocmd("WinEnter", {
    group = group,
    callback = function()
      local from = vim.fn.win_getid(vim.fn.winnr("#"))
      if from ~= 0 and chat_window(api.nvim_get_current_win()) and not chat_window(from) then
        origin[api.nvim_get_current_tabpage()] = from
      end
    end,
  })
  api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = "laststatus",
    callback = function()
      vim.tbl_map(require("nvim-acp.ui.window").rule, vim.tbl_filter(chat_window, api.nvim_list_wins()))
    end,
  })
  api.nvim_create_autocmd("WinClosed", {
    group = group,
    callback = function(event)
      local kind, win, here = vim.b[event.buf].acp_kind, tonumber(event.match), api.nvim_get_current_win()
      local s = require("nvim-acp.state").sessions[vim.b[event.buf].acp_session or ""]
      -- :only in one of the two keeps it, for :AcpChat to complete.
      if not kind or not s or here ~= win and chat_window(here) then
        return
      end
      local tab = api.nvim_win_get_tabpage(win)
      vim.schedule(function()
        require("nvim-acp.ui.try").call(follow, s, kind, tab, here == win)
      end)
    end,
  })
end

return M
