--- Right-hand text of a transcript's lines: it keeps its words whole, and gives way where the line has no room.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.right")
local aligned = vim.fn.has("nvim-0.11") == 1 -- Neovim can align; older ones get spaces

---@type table<integer, table<integer, { [1]: string, [2]: string }[]>> all chunks, by buffer and extmark
local texts = {}
---@type table<integer, integer> the width it was drawn for, by buffer
local widths = {}

local cells = require("nvim-acp.ui.text").cells

-- Returns chunks without surrounding space.
local function trim(chunks)
  local list = {}
  for i, c in ipairs(chunks) do
    list[i] = { c[1], c[2] }
  end
  if #list > 0 then
    list[1][1] = list[1][1]:gsub("^ +", "")
    list[#list][1] = list[#list][1]:gsub(" +$", "")
  end
  return list
end

-- Returns the chunks that fit: dim ones go first, from the right.
local function fitting(chunks, room)
  local list = trim(chunks)
  while #list > 0 and cells(list) > room do
    local last = #list
    for i = #list, 1, -1 do
      if list[i][2] == "AcpDone" then
        last = i
        break
      end
    end
    table.remove(list, last)
    list = trim(list)
  end
  return list
end

-- States have a row of their own where there is no room for them. What is not among these shows in the icon, or goes.
local states = { AcpRunning = true, AcpPending = true, AcpOutput = true }

local function has_state(chunks)
  return vim.iter(chunks):any(function(c)
    return states[c[2]]
  end)
end

-- Returns the narrowest window of a buffer, and the cells of a row of it.
local function narrowest(buf)
  local found, width
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cols = api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
    if not width or cols < width then
      found, width = win, cols
    end
  end
  return found, width
end

--- Returns the cells of a row of the narrowest window of a buffer, and that window; nil if none shows it.
---@param buf integer
---@return integer? width, integer? win
function M.width(buf)
  local win, width = narrowest(buf)
  return width, win
end

local function place(buf, row, chunks, win, width, id)
  local list, below = chunks, nil
  if win then
    local used = vim.fn.virtcol({ row + 1, "$" }, false, win) - 1
    local room = width - 2 - (used > 0 and (used - 1) % width + 1 or 0) -- with a cell before it, and one for the edge
    list = fitting(chunks, room)
    local own = #list < #chunks and has_state(chunks) and not has_state(list) and fitting(chunks, width - 1) or {}
    if has_state(own) then
      table.insert(own, 1, { (" "):rep(width - 1 - cells(own)) })
      list, below = {}, { own }
    end
    if not aligned and #list > 0 then
      table.insert(list, 1, { (" "):rep(room - cells(list)) })
    elseif #list > 0 then
      table.insert(list, { " " })
    end
  end
  local at = aligned and "eol_right_align" or "eol"
  local virtual = require("nvim-acp.ui.virtual")
  local opts = { id = id, virt_text = virtual.text(list), virt_text_pos = at, hl_mode = "combine", strict = false }
  opts.virt_lines = virtual.lines(below)
  return api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
end

--- Sets the right-hand text of a line.
---@param buf integer
---@param row integer from 0
---@param chunks { [1]: string, [2]: string }[]
---@param room acp.Room? of the buffer, for many lines at once
function M.set(buf, row, chunks, room)
  room = room or M.fit(buf)
  texts[buf], widths[buf] = texts[buf] or {}, room.width
  texts[buf][place(buf, row, chunks, room.win, room.width)] = chunks
end

--- Removes the right-hand text of lines.
---@param buf integer
---@param from integer from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  if not texts[buf] then
    return
  end
  if from == 0 and to == -1 then
    texts[buf] = nil
  else
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, { from, 0 }, { to - 1, -1 }, {})) do
      texts[buf][mark[1]] = nil
    end
  end
  api.nvim_buf_clear_namespace(buf, ns, from, to)
end

---@class acp.Room
---@field win integer? the narrowest window of a buffer
---@field width integer? the cells of a row of it

--- Fits right-hand text to the windows that show the buffer now.
---@param buf integer
---@return acp.Room
function M.fit(buf)
  local win, width = narrowest(buf)
  local room = { win = win, width = width }
  if not win or not texts[buf] or widths[buf] == width then
    return room
  end
  widths[buf] = width
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, {})) do
    local chunks = texts[buf][mark[1]]
    if chunks then
      place(buf, mark[2], chunks, win, width, mark[1])
    end
  end
  return room
end

--- Drops the state of a deleted buffer.
---@param buf integer
function M.forget(buf)
  texts[buf], widths[buf] = nil, nil
end

return M
