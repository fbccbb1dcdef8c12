--- Breaks lines of virtual text into rows, as a window with 'wrap' breaks lines of text: Neovim cuts them off.
local M = {}

local api = vim.api

---@class acp.RowRoom
---@field width integer cells of a row
---@field words boolean rows end at blanks: 'linebreak'
---@field indent boolean rows after the first are indented as the line is: 'breakindent'

-- Returns the windows of a buffer in the current tab, or all of them where it has none.
local function windows(buf)
  local here = vim.tbl_filter(function(win)
    return api.nvim_win_get_buf(win) == buf
  end, api.nvim_tabpage_list_wins(0))
  return #here > 0 and here or vim.fn.win_findbuf(buf)
end

--- Returns how the narrowest window of a buffer that wraps lines does so; nil if none does.
---@param buf integer
---@return acp.RowRoom?
function M.room(buf)
  local room
  for _, win in ipairs(windows(buf)) do
    local width = vim.wo[win].wrap and api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff or 0
    if width > 0 and (not room or width < room.width) then
      room = { width = width, words = vim.wo[win].linebreak, indent = vim.wo[win].breakindent }
    end
  end
  return room
end

-- Returns the bytes, from 0, at which the rows of a text after the first begin, and the cells of the last row. Those
-- rows have fewer cells.
local function breaks(text, room, indent)
  local starts, used = {}, 0
  local blank, since = nil, 0 -- the byte after the last blank of the row, and the cells after that
  for at, char in text:gmatch("()([%z\1-\127\194-\244][\128-\191]*)") do
    local cells = #char == 1 and 1 or api.nvim_strwidth(char)
    if used + cells > room.width then
      local from = room.words and blank or at - 1
      used = indent + (from == blank and since or 0)
      table.insert(starts, from)
      blank, since = nil, used - indent
    end
    used, since = used + cells, since + cells
    if char == " " and used > indent + 1 then
      blank, since = at, 0
    end
  end
  return starts, used
end

-- Returns the part of chunks from a byte, from 0, to the one before another.
local function part(chunks, from, to)
  local out, at = {}, 0
  for _, chunk in ipairs(chunks) do
    local first, last = math.max(from - at, 0), math.min(to - at, #chunk[1])
    if first < last then
      table.insert(out, { chunk[1]:sub(first + 1, last), chunk[2] })
    end
    at = at + #chunk[1]
  end
  return out
end

--- Returns text for below a line of a buffer in rows that its windows have room for, each behind a bar.
---@param buf integer
---@param text string
---@param group string
---@return acp.Chunk[][]
function M.barred(buf, text, group)
  local words, bar, width = require("nvim-acp.ui.text"), require("nvim-acp.ui.style").icons().bar .. " ", 102
  for _, win in ipairs(windows(buf)) do
    local before = math.max(vim.fn.getwininfo(win)[1].textoff, 2) -- the sign comes with the text
    width = math.min(width, api.nvim_win_get_width(win) - before)
  end
  local rows = {}
  for _, line in ipairs(vim.split(text, "\n")) do
    for _, row in ipairs(words.wrap(words.visible(line), math.max(width - 3, 10))) do
      table.insert(rows, { { bar .. row, group } })
    end
  end
  return rows
end

--- Returns the rows of a line, each coloured to the edge of the window.
---@param chunks acp.Chunk[] without control characters
---@param group string of the rest of a row
---@param room acp.RowRoom? nil: the line is one row
---@return acp.Chunk[][]
function M.of(chunks, group, room)
  local texts = {}
  for i, chunk in ipairs(chunks) do
    texts[i] = chunk[1]
  end
  local text = table.concat(texts)
  local plain = not text:find("[\128-\255]")
  local width = room and room.width or vim.o.columns
  if not room or #text <= width then
    local cells = plain and #text or api.nvim_strwidth(text)
    local row = vim.list_extend({}, chunks)
    return { vim.list_extend(row, { { (" "):rep(math.max(width - cells, 1)), group } }) }
  end

  local indent = room.indent and math.min(#text:match("^ *"), math.floor(room.width / 2)) or 0
  local starts, last = breaks(text, room, indent)
  local rows, from = {}, 0
  for _, to in ipairs(vim.list_extend(starts, { #text })) do
    local row = part(chunks, from, to)
    if from > 0 and indent > 0 then
      table.insert(row, 1, { (" "):rep(indent), group })
    end
    local cells = to == #text and last
      or vim.iter(row):fold(0, function(sum, chunk)
        return sum + api.nvim_strwidth(chunk[1])
      end)
    if cells < room.width then
      table.insert(row, { (" "):rep(room.width - cells), group })
    end
    table.insert(rows, row)
    from = to
  end
  return rows
end

return M
