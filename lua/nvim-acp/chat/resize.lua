--- Adjusts the chat when windows change their size.
local M = {}

local api = vim.api

local columns = vim.o.columns

---@type table<integer, integer> by tab page, the columns of the screen when it was left
local left = {}

---@type table<integer, boolean> windows of which the user has chosen the width
local chosen = {}

-- Notes whether a window has another width than the plugin would give it, which then stays.
local function note(win)
  local width = api.nvim_win_get_width(win)
  chosen[win] = width < vim.o.columns and width ~= require("nvim-acp.chat").side_width() or nil
end

-- The chat gets its share of a screen that has changed its size, unless the user has chosen its width.
local function fit(win)
  local chat = require("nvim-acp.chat")
  local narrow = api.nvim_win_get_config(win).relative == "" and api.nvim_win_get_width(win) < 20
  if narrow or chat.beside(win) and not chosen[win] then
    api.nvim_win_set_width(win, chat.side_width())
  end
end

-- Neovim leaves windows beyond a screen that has shrunk, and crashes as it draws them, if columns of fixed width are
-- nested: a chat beside a file tree with a window below it. Sharing the screen brings all of them back.
local function bring_back()
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local row, col = unpack(api.nvim_win_get_position(win))
    local right, bottom = col + api.nvim_win_get_width(win), row + api.nvim_win_get_height(win)
    if api.nvim_win_get_config(win).relative == "" and (right > vim.o.columns or bottom > vim.o.lines) then
      vim.cmd("wincmd =")
      return
    end
  end
end

-- A window at the end stays there: lines may need more rows now. What an empty chat says is seen from its beginning.
local function stay(win)
  local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  if last > 1 and api.nvim_win_get_cursor(win)[1] == last then
    api.nvim_win_call(win, function()
      vim.cmd("normal! zb")
    end)
  end
end

-- Does what a change of the screen's size asks for in a tab page that was not shown then.
local function fit_tab()
  local tab = api.nvim_get_current_tabpage()
  if left[tab] and left[tab] ~= vim.o.columns then
    for _, s in pairs(require("nvim-acp.state").sessions) do
      vim.tbl_map(fit, require("nvim-acp.state.buffers").windows(s, "transcript", tab))
    end
  end
end

local watching = false

--- Watches the sizes of windows. Called with the first chat.
function M.watch()
  if watching then
    return
  end
  watching = true
  local group = api.nvim_create_augroup("nvim-acp.resize", {})
  api.nvim_create_autocmd({ "VimResized", "TabEnter" }, { group = group, callback = bring_back })
  api.nvim_create_autocmd("TabEnter", { group = group, callback = fit_tab })
  api.nvim_create_autocmd("TabLeave", {
    group = group,
    callback = function()
      left[api.nvim_get_current_tabpage()] = vim.o.columns
    end,
  })
  api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    group = group,
    callback = function(event)
      local chat = require("nvim-acp.chat")
      local same = columns == vim.o.columns
      columns = event.event == "VimResized" and vim.o.columns or columns
      local tab = api.nvim_get_current_tabpage()
      for _, s in pairs(require("nvim-acp.state").sessions) do
        local wins = require("nvim-acp.state.buffers").windows(s, "transcript", tab)
        if event.event == "VimResized" then
          vim.tbl_map(fit, wins)
        elseif same then
          vim.tbl_map(note, wins)
        end
        if #wins > 0 then
          require("nvim-acp.ui.align").fit(api.nvim_win_get_buf(wins[1]))
          require("nvim-acp.ui.indent").fit(api.nvim_win_get_buf(wins[1]))
          require("nvim-acp.ui.names").fit(api.nvim_win_get_buf(wins[1]))
          if event.event == "VimResized" then
            vim.tbl_map(stay, wins)
          end
          chat.refresh(s)
        end
      end
      require("nvim-acp.permission").refit()
    end,
  })
end

return M
