--- A float with a line for each of several things: <CR> does the usual with the one under the cursor, other keys the
--- rest. It is a buffer, so that all motions and `/` work in it.
local M = {}

local api = vim.api

---@class acp.MenuKey
---@field [1]: string the key
---@field [2]: string a word for it
---@field [3]: string what it does
---@field run fun(item: any) also where `on` is false: it says why not
---@field on (fun(item: any): boolean)? whether that is possible with an item; nil: with each

---@class acp.Menu
---@field title string
---@field lines string[]
---@field keys acp.MenuKey[] the first is the usual thing
---@field at integer? the line that the cursor is on at first
---@field wrap boolean? a line takes as many rows as it needs
---@field cancel fun()? the user has chosen nothing

--- Returns the hints that fit in a width, with a gap between them; those that do not are among all keys.
---@param hints string[]
---@param width integer
---@param gap string? none without
---@return string
function M.fitting(hints, width, gap)
  local help = require("nvim-acp.ui.keys").key
  local text, rest = "", help and help .. " keys" or ""
  for i, hint in ipairs(hints) do
    local before = i == 1 and "" or gap or ""
    local longer = ("%s%s %s "):format(text, before, hint)
    local last = i == #hints and 0 or #rest + 2 + #(gap or "")
    if api.nvim_strwidth(longer) + last > width then
      return ("%s%s %s "):format(text, before, rest)
    end
    text = longer
  end
  return text
end

-- Returns the hints for an item, nil: for all. The first says what is below, if anything is.
local function footer(keys, width, item, below)
  local hints = { below }
  for _, key in ipairs(keys) do
    if item == nil or not key.on or key.on(item) then
      table.insert(hints, key[1] .. " " .. key[2])
    end
  end
  table.insert(hints, "q close")
  return M.fitting(hints, width)
end

-- Lets a user who was typing go on.
local function resume(from)
  if api.nvim_get_current_win() == from.win and from.typing and vim.bo.modifiable then
    local row, col = unpack(from.cursor)
    if pcall(api.nvim_win_set_cursor, 0, from.cursor) then
      vim.cmd.startinsert({ bang = col >= #api.nvim_buf_get_lines(0, row - 1, row, false)[1] })
    end
  end
end

-- Has the footer name what is possible with the item under the cursor. Returns what does that now.
local function follow(win, items, menu)
  local function draw()
    local item = items[api.nvim_win_get_cursor(win)[1]]
    local below = require("nvim-acp.ui.window").below(win)
    api.nvim_win_set_config(win, { footer = footer(menu.keys, api.nvim_win_get_width(win), item, below) })
  end
  draw()
  api.nvim_create_autocmd({ "CursorMoved", "WinScrolled" }, { buffer = api.nvim_win_get_buf(win), callback = draw })
  return draw
end

local function config_of(menu)
  local widest, padding = api.nvim_strwidth(menu.title) + 4, require("nvim-acp.ui.window").padding
  for _, line in ipairs(menu.lines) do
    widest = math.max(widest, padding + api.nvim_strwidth(line) + 1)
  end
  local room = math.max(vim.o.columns - 4, 10)
  local width = math.min(math.max(widest, api.nvim_strwidth(footer(menu.keys, 1000)), 30), room)
  local height = math.max(math.min(#menu.lines, math.floor(vim.o.lines * 0.6)), 1)
  local config = require("nvim-acp.ui.window").middle(width, height)
  config.title = (" %s "):format(require("nvim-acp.ui.text").line(menu.title, width - 2))
  config.footer, config.zindex = footer(menu.keys, width), 70
  return config
end

local hang = 4 -- cells before what continues a line that wraps

-- Returns the columns and the rows of a menu whose lines wrap, at most.
local function room()
  return math.max(vim.o.columns - 4, 10), math.max(vim.o.lines - vim.o.cmdheight - 4, 1)
end

--- Reports whether the screen has room for a line that wraps.
---@param line string
---@return boolean
function M.holds(line)
  local columns, rows = room()
  columns = columns - require("nvim-acp.ui.window").padding
  return api.nvim_strwidth(line) <= (columns - hang - 1) * rows -- a wide character may leave a cell empty
end

-- Has the lines of a window wrap, and gives it the rows that they take.
local function wrap(win)
  local window = require("nvim-acp.ui.window")
  window.set(win, { wrap = true, breakindent = true, breakindentopt = ("shift:%d,min:10"):format(hang) })
  window.set(win, { smoothscroll = true }) -- a line may be longer than the window
  local _, rows = room()
  rows = math.min(api.nvim_win_text_height(win, {}).all, rows)
  local at = window.middle(api.nvim_win_get_width(win), rows)
  local place = { relative = "editor", row = at.row, col = at.col, width = at.width, height = at.height }
  api.nvim_win_set_config(win, place)
end

--- Opens a menu. What it returns gives it other things and another title while it is open, and reports whether it is:
--- find says where one of those before is.
---@param items any[]
---@param menu acp.Menu
---@return fun(items: any[], lines: string[], title: string, find: fun(item: any): integer?): boolean
function M.open(items, menu)
  local origin = require("nvim-acp.ui.origin")
  local from, buf = origin.here(), api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, menu.lines)
  vim.bo[buf].bufhidden = "wipe"
  require("nvim-acp.ui.fixed").fix(buf)
  require("nvim-acp.ui.bufname").float(buf, menu.title)
  vim.cmd.stopinsert()
  local win = api.nvim_open_win(buf, true, config_of(menu))
  origin.note(win, from)
  local window = require("nvim-acp.ui.window")
  window.set(win, window.plain)
  window.set(win, { cursorline = true, wrap = false })
  window.pad(win)
  if menu.wrap then
    wrap(win)
  end
  vim.bo[buf].filetype = "acp-menu"
  api.nvim_win_set_cursor(win, { math.min(menu.at or 1, math.max(#menu.lines, 1)), 0 }) -- some may be left out
  local draw = follow(win, items, menu)

  local over = false
  local function close(run, item)
    if over then
      return
    end
    over = true
    local here = api.nvim_get_current_win() == win
    origin.close(win)
    if here then
      resume(from)
    end
    if run then
      run(item)
    end
  end
  local function map(lhs, desc, fn)
    vim.keymap.set("n", lhs, fn, { buffer = buf, nowait = true, desc = desc })
  end
  for i, key in ipairs(menu.keys) do
    local function run()
      local line = i == 1 and vim.v.count > 0 and vim.v.count or api.nvim_win_get_cursor(win)[1]
      local first, last = vim.fn.line("w0", win), vim.fn.line("w$", win)
      if items[line] == nil then
        return
      elseif first > last then
        return require("nvim-acp.ui.message").info("no room for this menu")
      elseif line < first or line > last then
        return api.nvim_win_set_cursor(win, { line, 0 }) -- a count chooses what is seen
      end
      close(key.run, items[line])
    end
    map(key[1], key[3], run)
    if i == 1 then
      map("<2-LeftMouse>", key[3], run)
    end
  end
  local function leave()
    close(menu.cancel)
  end
  require("nvim-acp.ui.keys").map(buf)
  map("q", "close", leave)
  map("<Esc>", "close", leave)
  map("<C-c>", "close", leave)
  origin.when_left(win, leave)

  return function(new, lines, title, find)
    if over or not api.nvim_win_is_valid(win) then
      return false
    end
    local row = api.nvim_win_get_cursor(win)[1]
    row = find(items[row]) or row
    for i = 1, math.max(#items, #new) do
      items[i] = new[i]
    end
    menu.lines, menu.title = lines, title
    require("nvim-acp.ui.fixed").write(buf, 0, -1, lines)
    api.nvim_win_set_config(win, config_of(menu))
    api.nvim_win_set_cursor(win, { math.min(row, math.max(#lines, 1)), 0 })
    draw()
    return true
  end
end

return M
