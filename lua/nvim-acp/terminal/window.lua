--- Windows that show the terminals of agents' commands.
local M = {}

local api = vim.api

---@param win integer
---@return integer cols, integer rows of its text
function M.size(win)
  local info = vim.fn.getwininfo(win)[1]
  return math.max(info.width - info.textoff, 1), math.max(info.height, 1)
end

--- Returns the state of a command in words.
---@param view acp.TerminalView|table
---@return string
function M.state_of(view)
  if not view.running then
    return view.exit ~= "" and require("nvim-acp.ui.text").line(view.exit, 40) or "done"
  end
  return view.waiting and "waits for input" or "running"
end

local function hints(view)
  local keys = require("nvim-acp.config").options.keys
  local list = {}
  if view.running and view.input then
    table.insert(list, "i type")
    if keys.stop then
      table.insert(list, keys.stop .. " stop")
    end
  end
  if keys.close then
    table.insert(list, keys.close .. " close")
  end
  return table.concat(list, "   ")
end

local function winbar(view, width)
  local bar = require("nvim-acp.ui.bar")
  local command = require("nvim-acp.ui.text").line(view.command, width)
  local group = view.waiting and "AcpPending" or (view.exit ~= "" and "AcpFailed" or "AcpWinbarDim")
  local title, status = { "AcpWinbar", (" %s  "):format(command) }, { group, M.state_of(view) }
  return { title, status, bar.cut, bar.right, { "AcpWinbarDim", hints(view) .. " " } }
end

--- Draws the title and hints around a terminal in all windows that show it.
---@param view acp.TerminalView
function M.dress(view)
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    local config = api.nvim_win_get_config(win)
    if config.relative ~= "" and config.border and config.border ~= "none" then
      local command = require("nvim-acp.ui.text").line(view.command, config.width - 20)
      local title = (" %s  %s "):format(command, M.state_of(view))
      api.nvim_win_set_config(win, { title = title, footer = " " .. hints(view) .. " ", footer_pos = "right" })
    else
      local parts = winbar(view, math.max(api.nvim_win_get_width(win) - 50, 10))
      require("nvim-acp.ui.bar").set(win, "winbar", parts)
    end
  end
end

local function new_window(view, how, enter)
  if how == "float" then
    return require("nvim-acp.ui.center").open(view.buf, { enter = enter, title = " ", footer = " " })
  end
  local height = math.max(math.floor(vim.o.lines * 0.3), 3)
  return (require("nvim-acp.ui.window").open(view.buf, enter, { split = "below", win = -1, height = height }))
end

--- Shows a terminal's buffer in the current tab, following its end.
---@param view acp.TerminalView
---@param how "split"|"float"
---@param enter boolean move the cursor there
---@return integer window
function M.open(view, how, enter)
  require("nvim-acp.ui.style").define()
  local tab = api.nvim_get_current_tabpage()
  local win = vim.tbl_filter(function(w)
    return api.nvim_win_get_tabpage(w) == tab
  end, vim.fn.win_findbuf(view.buf))[1]
  if not win then
    local origin = require("nvim-acp.ui.origin")
    local from = origin.here()
    win = new_window(view, how, enter)
    origin.note(win, from)
    local window = require("nvim-acp.ui.window")
    window.set(win, window.plain)
    window.set(win, { signcolumn = "no" })
    window.status_line(win, { " " })
  elseif enter then
    api.nvim_set_current_win(win)
  end
  M.dress(view)
  return win
end

return M
