--- Keeps what users read of a transcript under their cursor while the lines there are replaced.
local M = {}

local api = vim.api

---@class acp.Reading
---@field win integer
---@field from integer the first line that is replaced, from 0
---@field top integer? the first line of the window among those, from 0
---@field skip integer cells of that line which are above the window
---@field line integer? the line of the cursor among those, from 0
---@field col integer
---@field lines string[] that are replaced, up to that of the cursor

--- Notes what windows show of lines that are going to be replaced.
---@param buf integer
---@param wins integer[]
---@param from integer the first of the lines, from 0
---@param to integer the line after the last
---@return acp.Reading[]
function M.note(buf, wins, from, to)
  local list = {}
  for _, win in ipairs(wins) do
    local cursor, top = api.nvim_win_get_cursor(win), vim.fn.getwininfo(win)[1].topline - 1
    local line = cursor[1] - 1
    local has_top, has_line = top >= from and top < to, line >= from and line < to
    if has_top or has_line then
      table.insert(list, {
        win = win,
        from = from,
        top = has_top and top - from or nil,
        skip = has_top and api.nvim_win_call(win, vim.fn.winsaveview).skipcol or 0,
        line = has_line and line - from or nil,
        col = cursor[2],
        lines = has_line and api.nvim_buf_get_lines(buf, from, line + 1, false) or {},
      })
    end
  end
  return list
end

-- Returns which of the lines of an operation shows a line that it replaces.
local function target(op, line)
  local to = (op.map or {})[line + 1] or line
  return math.max(math.min(to, #op.lines - 1), 0)
end

-- Calls fn for each word of a text with its place; the first result that is not nil ends that.
local function words(text, fn)
  for at, word in text:gmatch("()([%w_\128-\255]+)") do
    local found = fn(at - 1, word)
    if found ~= nil then
      return found
    end
  end
end

-- Returns the word at the cursor, or after it, how often it is in the text up to there, and how many of its bytes are
-- before the cursor, negative: how many bytes there are from the cursor to it.
local function word_at(read, first)
  local before = table.concat(read.lines, " ", first + 1, read.line)
  local col = #before + (before == "" and 0 or 1) + read.col
  local text, times, within = table.concat(read.lines, " ", first + 1, read.line + 1), {}, 0
  local word = words(text, function(at, word)
    times[word] = (times[word] or 0) + 1
    if at + #word > col then
      within = col - at
      return word
    end
  end)
  return word, word and times[word], within
end

-- Returns the row and column in the lines of an operation at which the text under the cursor is now.
local function place(read, op)
  local row, first = target(op, read.line), read.line
  if not op.again then
    return row, read.col
  end
  while first > 0 and target(op, first - 1) == row do
    first = first - 1
  end
  local last = read.line
  repeat
    last = last + 1
  until not (op.map or {})[last + 1] or target(op, last) > row
  local stop = (op.map or {})[last + 1] and target(op, last) or #op.lines

  local word, times, within = word_at(read, first)
  local best
  for at = row, word and stop - 1 or -1 do
    local begin = true
    local done = words(op.lines[at + 1], function(col, found)
      if found == word then
        best, times = { at, (read.col == 0 and begin) and 0 or math.max(col + within, 0) }, times - 1
      end
      begin = false
      return times == 0 or nil
    end)
    if done then
      break
    end
  end
  if best then
    return best[1], best[2]
  end
  return row, read.col
end

--- Shows the same text again after an operation has replaced the lines.
---@param buf integer
---@param list acp.Reading[]
---@param op table with lines, and what says where their text was
function M.keep(buf, list, op)
  local count = api.nvim_buf_line_count(buf)
  for _, read in ipairs(list) do
    if read.line then
      local row, col = place(read, op)
      pcall(api.nvim_win_set_cursor, read.win, { math.min(read.from + row + 1, count), col })
    end
    if read.top then
      local top = math.min(read.from + target(op, read.top) + 1, count)
      local skip = read.skip < vim.fn.virtcol({ top, "$" }, false, read.win) - 1 and read.skip or 0
      api.nvim_win_call(read.win, function()
        vim.fn.winrestview({ topline = top, skipcol = skip })
      end)
    end
  end
end

return M
