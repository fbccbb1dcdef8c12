--- Answers in words, in a small float at their place.
local M = {}

local api = vim.api
local place = require("nvim-acp.edit.place")

---@type table<string, fun(p: acp.Place)> "close", "again" and "chat": what keys of the float do
M.actions = {}

---@type table<string, { buf: integer, page: table, win: integer?, closed: boolean? }> by session
local floats = {}

-- Returns a window of the current tab that shows the buffer of a place: the current one, if it does.
local function window(p)
  local here = api.nvim_get_current_win()
  for _, win in ipairs(vim.list_extend({ here }, api.nvim_tabpage_list_wins(0))) do
    if api.nvim_win_get_buf(win) == p.buf and api.nvim_win_get_config(win).relative == "" then
      return win
    end
  end
end

-- Returns where a float of so many rows is: below the lines, or above them where there is more room.
local function layout(p, rows)
  local win = window(p)
  if not win then
    return nil
  end
  local first, last = place.rows(p)
  local width = math.max(20, math.min(76, api.nvim_win_get_width(win) - 4))
  local top, bottom = vim.fn.screenpos(win, first + 1, 1).row, vim.fn.screenpos(win, math.max(last, 1), 1).row
  local screen = vim.o.lines - vim.o.cmdheight - 1
  local below = bottom > 0 and screen - bottom - 2 or 0
  local above = top > 0 and top - 4 or 0
  local under = below >= math.min(rows, 8) or below >= above
  local height = math.max(1, math.min(rows, math.floor(vim.o.lines * 0.5), math.max(under and below or above, 3)))
  return {
    relative = "win",
    win = win,
    bufpos = { under and math.max(last - 1, 0) or first, 0 },
    anchor = under and "NW" or "SW",
    row = under and 1 or -1,
    col = 0,
    width = width,
    height = height,
  }
end

-- Returns how much of the text is below what the float shows, and the keys for a user who is in it: elsewhere they do
-- what they always do.
local function footer(p, win)
  local keys = require("nvim-acp.config").options.keys
  local below = require("nvim-acp.ui.window").below(win)
  local parts = { below and { " " .. below .. " ", "AcpDone" } or nil }
  local here = api.nvim_get_current_win() == win
  for _, key in ipairs({ { keys.close, "close" }, { keys.edit_again, "ask on" }, { "c", "chat" } }) do
    if key[1] and here then
      table.insert(parts, { " " .. key[1], "AcpKey" })
      table.insert(parts, { " " .. key[2] .. " ", "AcpKeyInert" })
    end
  end
  return p.phase == "working" and { { " … ", "AcpDone" } } or #parts > 0 and parts or { { "" } }
end

local function map(p, buf)
  local keys = require("nvim-acp.config").options.keys
  local function set(key, desc, fn)
    if key then
      vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = "nvim-acp: " .. desc })
    end
  end
  set(keys.close, "close the answer", function()
    M.close(p)
    M.actions.close(p)
  end)
  set(keys.edit_again, "ask on", function()
    M.actions.again(p)
  end)
  require("nvim-acp.ui.keys").map(buf)
  set("c", "continue as a chat", function()
    M.actions.chat(p)
  end)
end

-- Opens the window.
local function new_window(buf, config)
  local ui = require("nvim-acp.ui.window")
  local win = api.nvim_open_win(buf, false, vim.tbl_extend("force", config, { style = "minimal" }))
  ui.set(win, ui.plain)
  ui.set(win, {
    wrap = true,
    linebreak = true,
    conceallevel = 2, -- see ui/marks.lua
    concealcursor = "nvic",
    fillchars = "eob: ,lastline:" .. require("nvim-acp.ui.style").icons().cut,
  })
  ui.pad(win)
  ui.set(win, require("nvim-acp.ui.hang").window)
  return win
end

local function open(p, focus)
  local float = floats[p.s.id]
  local config = layout(p, 1)
  if not config then
    return
  end
  config.border, config.zindex = require("nvim-acp.ui.style").border(), 45
  config.title = (" %s "):format(require("nvim-acp.ui.text").line(p.s.agent_title, 40))
  if float.win and api.nvim_win_is_valid(float.win) then
    config.height = nil
    api.nvim_win_set_config(float.win, config)
  else
    float.win = new_window(float.buf, config)
  end
  require("nvim-acp.ui.align").fit(float.buf)
  require("nvim-acp.ui.indent").fit(float.buf)
  api.nvim_win_set_config(float.win, layout(p, api.nvim_win_text_height(float.win, {}).all))
  api.nvim_win_set_config(float.win, { footer = footer(p, float.win) })
  if focus and api.nvim_get_current_win() ~= float.win then
    local origin = require("nvim-acp.ui.origin")
    origin.note(float.win, origin.here())
    api.nvim_set_current_win(float.win)
  end
end

-- Draws the footer of an open float anew.
local function foot(p)
  local float = floats[p.s.id]
  if float and float.win and api.nvim_win_is_valid(float.win) then
    api.nvim_win_set_config(float.win, { footer = footer(p, float.win) })
  end
end

-- Creates the buffer of a float.
local function new_buffer(p)
  local buf = api.nvim_create_buf(false, true)
  require("nvim-acp.ui.bufname").float(buf, "Answer")
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].filetype = "acp-answer"
  vim.bo[buf].tabstop = 4
  require("nvim-acp.ui.fixed").fix(buf)
  require("nvim-acp.ui.hang").buffer(buf)
  map(p, buf)
  api.nvim_create_autocmd({ "CursorMoved", "WinScrolled", "WinEnter" }, {
    buffer = buf,
    callback = function()
      foot(p)
    end,
  })
  api.nvim_create_autocmd("WinLeave", {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      foot(p)
    end),
  })
  return buf
end

local function write(buf, page)
  local last = #page.lines
  while last > 1 and page.lines[last] == "" do
    last = last - 1
  end
  require("nvim-acp.ui.fixed").write(buf, 0, -1, vim.list_slice(page.lines, 1, last))
  require("nvim-acp.chat.draw").marks(buf, 0, page)
end

-- Returns the float of a place with a page, or that which it has; nil before the first one. A buffer that the user has
-- wiped is made anew.
local function float_of(p, page)
  local float = floats[p.s.id]
  if not float and page then
    float = { buf = new_buffer(p) }
    floats[p.s.id] = float
  elseif float and not api.nvim_buf_is_valid(float.buf) then
    float.buf, page = new_buffer(p), page or float.page
  end
  if float and page then
    write(float.buf, page)
    float.page = page
  end
  return float
end

--- Shows what an answer says by now. A float that the user has closed stays closed.
---@param p acp.Place
---@param page table lines, with marks as those of a transcript
function M.show(p, page)
  local float = float_of(p, page)
  local wanted = p.wanted and api.nvim_get_current_buf() == p.buf
  p.wanted = nil
  if wanted or p.kind == "ask" and not float.closed then
    open(p, wanted or false)
  end
end

--- Notifies the user of an answer at lines that are not visible.
---@param p acp.Place
---@param f table
function M.notify(p, f)
  local there = f.phase == "ready" or f.phase == "words"
  if there and not window(p) and require("nvim-acp.config").options.notify.turn_end then
    local name = require("nvim-acp.edit.request").name(p.buf, place.rows(p))
    require("nvim-acp.ui.message").info(("%s has answered at %s"):format(p.s.agent_title, name))
  end
end

--- Opens the float again, or goes to it: once it is there, if the host has yet to render the answer.
---@param p acp.Place
function M.focus(p)
  local float = float_of(p)
  if float then
    float.closed = nil
    open(p, true)
  else
    p.wanted = true
  end
end

--- Draws the border of the float anew.
---@param p acp.Place
function M.refresh(p)
  local float = floats[p.s.id]
  if float and float.win and api.nvim_win_is_valid(float.win) then
    open(p, false)
  end
end

--- Closes the float, which stays closed until the user asks for it.
---@param p acp.Place
function M.close(p)
  local float = floats[p.s.id]
  if float and float.win then
    require("nvim-acp.ui.origin").close(float.win)
  end
  if float then
    float.win, float.closed = nil, true
  end
end

--- Has the float open again by itself.
---@param p acp.Place
function M.reopen(p)
  local float = float_of(p)
  if float and p.kind == "ask" then
    float.closed = nil
    open(p, false)
  end
end

--- Removes the float of a place that is over.
---@param p acp.Place
function M.forget(p)
  M.close(p)
  local float = floats[p.s.id]
  floats[p.s.id] = nil
  if float and api.nvim_buf_is_valid(float.buf) then
    require("nvim-acp.ui.align").forget(float.buf)
    require("nvim-acp.ui.indent").forget(float.buf)
    require("nvim-acp.ui.names").forget(float.buf)
    require("nvim-acp.ui.deferred").delete(float.buf)
  end
end

return M
