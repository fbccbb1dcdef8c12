--- Follows the rows of lines through the changes of a buffer. Extmarks would not do: `:move` takes along those at the
--- edges of what it moves, and a filter inserts new lines below the old ones and then deletes these.
local M = {}

---@class acp.Rows
---@field top integer the first row, from 0
---@field bottom integer the row after the last one
---@field number integer the change that the text was at when a tick ended last, see |changenr()|
---@field texts table<integer, { top: integer, lines: string[] }> the lines by that number
---@field numbers integer[] of these, the oldest first
---@field begun boolean? the buffer has changed in this tick
---@field jumped boolean? the text was at another change in this tick
---@field cut boolean? the first lines were deleted in this tick: what is inserted there replaces them
---@field put { at: integer, count: integer, top: integer, bottom: integer }? the last change, and the rows before it
---@field came boolean? lines were inserted in this tick
---@field went boolean? lines were deleted in this tick
---@field near boolean? at the edges, or between them
---@field torn boolean? extmarks at these lines may have moved to others

-- Texts that are kept. A place is there for minutes.
local most = 200

--- Returns the rows from first to the one before last.
---@param first integer
---@param last integer
---@param number integer the change that the text is at
---@return acp.Rows
function M.new(first, last, number)
  return { top = first, bottom = last, number = number, texts = {}, numbers = {} }
end

-- Handles a change that is neither inside nor outside. Lines that were joined with others are left out. A command that
-- has moved the lines as they were, or that has changed each line by itself, leaves all of them in.
local function straddle(r, from, to, new, find)
  local d = new - to
  r.torn = true
  local row, count
  if new > from then
    row, count = find(math.min(r.top, from), math.max(r.bottom + d, new), r.top)
  end
  if row then
    r.top, r.bottom = row, row + count
  elseif d == 0 then
    return
  elseif from < r.top and to < r.bottom then
    r.top, r.bottom = new, r.bottom + d
  elseif from > r.top then
    r.bottom = from
  else
    r.top, r.bottom = from, from
  end
end

--- Follows a change: the rows from `from` to the one before `to` are now those to the one before `new`.
---@param r acp.Rows
---@param from integer
---@param to integer
---@param new integer
---@param find fun(first: integer, last: integer, old: integer): integer?, integer? finds the lines as they were when a
---tick ended last, in these rows: the first one, and how many they are
function M.change(r, from, to, new, find)
  local put, inserts, deletes = r.put, from == to, new == from
  r.put = inserts and { at = from, count = new - to, top = r.top, bottom = r.bottom } or nil
  r.came, r.went = r.came or inserts, r.went or deletes
  r.near = r.near or to >= r.top and from <= r.bottom and new ~= to
  if put and deletes and to == put.at then -- a filter: it has replaced these lines
    r.top, r.bottom, new = put.top, put.bottom, from + put.count
  end

  local d = new - to
  if inserts and from == r.top then
    r.top, r.bottom = r.cut and r.top or r.top + d, r.bottom + d
  elseif to <= r.top then
    r.top, r.bottom = r.top + d, r.bottom + d
  elseif from >= r.bottom then
    return
  elseif from >= r.top and to <= r.bottom then
    r.torn = r.torn or to > from + 1 and new > from
    r.cut = r.cut or from == r.top and new == from
    r.bottom = r.bottom + d
  else
    straddle(r, from, to, new, find)
  end
end

local function keep(r, number, text)
  if not r.texts[number] then
    table.insert(r.numbers, number)
  end
  r.texts[number] = text
  if #r.numbers > most then
    r.texts[table.remove(r.numbers, 1)] = nil
  end
end

--- Records the number of a change, before it is followed.
---@param r acp.Rows
---@param number integer as it is while the text changes: for undo and redo that of the text before
function M.at(r, number)
  local text = not r.begun and r.texts[r.number]
  for other = text and math.max(r.number + 1, number - most) or number, number - 1 do
    if not r.texts[other] then -- a command has changed nothing, but has got a number
      keep(r, other, text)
    end
  end
  r.begun, r.jumped = true, r.jumped or number ~= r.number
end

--- Ends a tick. After undo and redo the rows are those that they were when the text was the same.
---@param r acp.Rows
---@param number integer the change that the text is at
---@param read fun(first: integer, last: integer): string[]
---@return boolean torn extmarks may have moved to other lines
function M.settle(r, number, read)
  local torn = r.torn or r.near and r.came and r.went or false
  local old = (r.jumped or number ~= r.number) and r.texts[number]
  if old then
    local bottom = old.top + #old.lines
    local moved = old.top ~= r.top or bottom ~= r.bottom
    if moved and vim.deep_equal(read(old.top, bottom), old.lines) then
      r.top, r.bottom, torn = old.top, bottom, true
    end
  end
  r.number, r.begun, r.jumped, r.cut, r.put = number, nil, nil, nil, nil
  r.came, r.went, r.near, r.torn = nil, nil, nil, nil
  return torn
end

--- Records the lines, after a tick.
---@param r acp.Rows
---@param lines string[]
function M.remember(r, lines)
  keep(r, r.number, { top = r.top, lines = lines })
end

return M
