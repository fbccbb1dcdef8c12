--- Options of the plugin's windows.
local M = {}

--- Options of the user's windows, which a new one has too, that would hide text, shape it or bind it to others.
M.whole = {
  foldenable = false,
  foldmethod = "manual",
  conceallevel = 0,
  rightleft = false,
  showbreak = "NONE", -- it would have no background in code that wraps
  diff = false,
  scrollbind = false,
  cursorbind = false,
}

--- Options for things that Neovim shows beside the text of files, which are off in the plugin's windows.
M.plain = vim.tbl_extend("error", M.whole, {
  number = false,
  relativenumber = false,
  foldcolumn = "0",
  signcolumn = "no",
  statuscolumn = "",
  colorcolumn = "",
  cursorline = false,
  cursorcolumn = false,
  list = false,
  spell = false,
  fillchars = "eob: ",
  winfixbuf = true,
})

--- The cells before the text of a float.
M.padding = 2

--- Sets local options of a window.
---@param win integer
---@param options table<string, any>
function M.set(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
  end
end

local float = "NormalFloat:Normal,FloatBorder:AcpFloatBorder,FloatTitle:AcpFloatTitle,FloatFooter:AcpFloatFooter"
local blank = "Whitespace:NvimAcpBlank" -- with 'list' tabs would have a colour

local function highlight(win, groups)
  local before = vim.wo[win].winhighlight
  if not before:find(groups, 1, true) then
    M.set(win, { winhighlight = before == "" and groups or before .. "," .. groups })
  end
end

--- Gives a window, if it is a float, the colours of the plugin's floats: the background of Normal, which all colours of
--- text are for.
---@param win integer
function M.float(win)
  if vim.api.nvim_win_get_config(win).relative ~= "" then
    highlight(win, float)
  end
end

--- Gives a float these colours, and empty cells before its text, in all rows.
---@param win integer
function M.pad(win)
  M.float(win)
  highlight(win, "FoldColumn:Normal,CursorLineFold:CursorLine")
  M.set(win, { foldcolumn = tostring(M.padding) })
end

--- Has a window scroll by rows: a line may have more of them than the window. One cell says that the first line begins
--- above, of which Neovim takes three where 'listchars' says nothing.
---@param win integer
function M.by_rows(win)
  local cut = require("nvim-acp.ui.style").icons().cut
  local mark = vim.api.nvim_strwidth(cut) == 1 and cut or "<" -- 'ambiwidth'
  local chars = "tab:  ,precedes:" .. mark
  M.set(win, { smoothscroll = true, list = true, listchars = chars, winhighlight = blank })
  M.float(win)
end

--- Returns a hint that there are rows below those that a window shows, nil if there are none.
---@param win integer
---@return string?
function M.below(win)
  local info = vim.fn.getwininfo(win)[1] -- rows, since a line may take as many as the window has
  local rows = vim.api.nvim_win_text_height(win, { start_row = info.topline - 1 }).all - info.height
  local skip = vim.api.nvim_win_call(win, vim.fn.winsaveview).skipcol -- 'smoothscroll': the first line begins above
  rows = rows - math.floor(skip / (info.width - info.textoff))
  return rows > 0 and ("%s %d more"):format(require("nvim-acp.ui.style").icons().below, rows) or nil
end

--- Returns a function that closes the tab page it is called in, and goes to the window that is the current one now.
---@return fun()
function M.back()
  local from = vim.api.nvim_get_current_win()
  return function()
    if #vim.api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose()
    elseif not pcall(vim.api.nvim_win_close, 0, false) then
      vim.cmd.enew() -- it is the only window
    end
    if vim.api.nvim_win_is_valid(from) then
      vim.api.nvim_set_current_win(from)
    end
  end
end

--- Opens a window for a buffer. Where there is no room to split one, it gets a tab of its own.
---@param buf integer
---@param enter boolean
---@param config vim.api.keyset.win_config
---@return integer win
---@return boolean room
function M.open(buf, enter, config)
  local api = vim.api
  local win = require("nvim-acp.ui.ex").quietly(function()
    return api.nvim_open_win(buf, enter, config)
  end)
  if win then
    return win, true
  end
  local tab = api.nvim_get_current_tabpage()
  win = M.tab(buf)
  if not enter then
    api.nvim_set_current_tabpage(tab)
  end
  return win, false
end

--- Shows a buffer in the current window. Where the one that is there can be neither hidden nor left, another way is
--- tried first; it is hidden if that fails.
---@param buf integer
---@param other (fun(): integer?)? opens another window
---@return integer win
function M.here(buf, other)
  local api = vim.api
  local win, old = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local fixed = vim.wo[win].winfixbuf
  vim.wo[win].winfixbuf = false
  require("nvim-acp.ui.ex").quietly(function()
    api.nvim_win_set_buf(win, buf)
  end)
  if api.nvim_win_get_buf(win) == buf then
    return win
  end
  local another = other and other()
  if another then
    vim.wo[win].winfixbuf = fixed
    return another
  end
  local hidden = vim.bo[old].bufhidden
  vim.bo[old].bufhidden = "hide"
  api.nvim_win_set_buf(win, buf)
  vim.bo[old].bufhidden = hidden
  return win
end

--- Shows a buffer in a tab of its own and goes there. Where there is no room for the line of the tabs either, it takes
--- the current window.
---@param buf integer
---@return integer win
function M.tab(buf)
  require("nvim-acp.ui.ex").quietly(function()
    vim.cmd.tabnew()
    vim.bo.bufhidden = "wipe" -- the empty buffer of the new tab
  end)
  return M.here(buf)
end

--- Returns the configuration of a float in the middle of the screen.
---@param width integer of its text
---@param height integer
---@return vim.api.keyset.win_config
function M.middle(width, height)
  return {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    border = require("nvim-acp.ui.style").border(),
  }
end

--- Scrolls a window so that lines are seen, which the user has unfolded: all of them, else the first ones. The cursor
--- stays unless its line has no room there.
---@param win integer 0: the current one
---@param first integer
---@param last integer
function M.reveal(win, first, last)
  vim.api.nvim_win_call(win, function()
    local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
    local top, height = info.topline, info.height
    while top < first and vim.api.nvim_win_text_height(win, { start_row = top - 1, end_row = last - 1 }).all > height do
      top = top + 1
    end
    if top ~= info.topline then
      local line = math.max(vim.fn.line("."), top)
      vim.fn.winrestview({ topline = top, skipcol = 0, lnum = line })
    end
  end)
end

--- Returns the screen position of the last cell of a line, nil if that cell is not on the screen. A line that wraps may
--- be partly visible.
---@param win integer
---@param line integer
---@param bytes integer? of the line that count; nil: all
---@return { row: integer, col: integer, endcol: integer }?
function M.line_end(win, line, bytes)
  bytes = bytes or #(vim.fn.getbufline(vim.api.nvim_win_get_buf(win), line)[1] or "")
  local pos = vim.fn.screenpos(win, line, math.max(bytes, 1))
  return pos.row > 0 and pos or nil
end

--- Gives a window a status line of its own, unless the user has set one; Neovim's default shows a buffer's name.
---@param win integer
---@param parts acp.BarPart[]
---@return boolean set
function M.status_line(win, parts)
  local own = vim.go.statusline == vim.api.nvim_get_option_info2("statusline", {}).default
  if not own or vim.api.nvim_win_get_config(win).relative ~= "" then -- in a float it would be a row of text
    return false
  end
  require("nvim-acp.ui.bar").set(win, "statusline", parts)
  return true
end

local rule = { { "AcpRule", "" } }
local rule_groups = "StatusLine:AcpRule,StatusLineNC:AcpRule" -- else its background would be a bar

--- Makes the status line of a window a thin rule, under the same conditions. With one status line for all windows it
--- stays as it is elsewhere.
---@param win integer
function M.rule(win)
  local bar = require("nvim-acp.ui.bar")
  if vim.wo[win].statusline == bar.format(rule) then -- Neovim remembers it with the buffer
    bar.set(win, "statusline", {})
    M.set(win, { winhighlight = vim.wo[win].list and blank or "" })
  end
  if vim.o.laststatus == 3 or not M.status_line(win, rule) then
    return
  end
  local fill = require("nvim-acp.ui.style").icons().rule
  local chars = vim.tbl_filter(function(item)
    return item ~= "" and not item:match("^stln?c?:")
  end, vim.split(vim.wo[win].fillchars, ","))
  vim.list_extend(chars, { "stl:" .. fill, "stlnc:" .. fill })
  local groups = vim.wo[win].list and rule_groups .. "," .. blank or rule_groups
  M.set(win, { fillchars = table.concat(chars, ","), winhighlight = groups })
end

return M
