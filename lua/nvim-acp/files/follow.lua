--- Finds lines again whose extmarks Neovim has moved away: what replaces lines by others, as a filter, |:sort| or a
--- formatter, moves marks to the end of these, also where the same lines are among them.
local M = {}

local api = vim.api

---@class acp.Replaced rows that were replaced in a tick: from 0, half open
---@field first integer
---@field last integer of those before
---@field now integer of those after
---@field part acp.ReplacedPart? that was searched last
---@field parts integer? how many were searched

---@class acp.ReplacedPart lines around a row
---@field near integer the row
---@field from integer the row of the first line
---@field lines string[]
---@field at table<string, table<string, integer[]>> by form, by a line in that form its rows

---@class acp.Follower
---@field settle table<string, fun(buf: integer, r: acp.Replaced)> by the feature that follows lines of the buffer
---@field r acp.Replaced? in this tick

---@type table<integer, acp.Follower> by buffer
local followers = {}

local reach = 2000 -- rows that are searched on each side
local most = 3 -- parts of a buffer that are searched after a tick: each takes 4 ms

-- Adds a change: the rows from `from` to the one before `to` are now those to the one before `new`.
local function add(r, from, to, new)
  if not r then
    return { first = from, last = to, now = new }
  end
  local now = math.max(r.now, to)
  return { first = math.min(r.first, from), last = r.last + now - r.now, now = now + new - to }
end

--- Ends the tick of a buffer, if it has changed: those who follow lines in it look where these are.
---@param buf integer
function M.flush(buf)
  local f = followers[buf]
  local r = f and f.r
  if not r then
    return
  end
  f.r = nil
  for _, settle in pairs(f.settle) do
    require("nvim-acp.ui.try").call(settle, buf, r)
  end
end

--- Calls a function after each tick in which a buffer has changed.
---@param buf integer
---@param feature string
---@param settle fun(buf: integer, r: acp.Replaced)
function M.watch(buf, feature, settle)
  if followers[buf] then
    followers[buf].settle[feature] = settle
    return
  end
  local f = { settle = { [feature] = settle } }
  followers[buf] = api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, from, to, new)
      if followers[buf] ~= f then
        return true
      elseif not f.r then
        vim.schedule(function()
          M.flush(buf)
        end)
      end
      f.r = add(f.r, from, to, new)
    end,
    on_detach = function()
      followers[buf] = nil
    end,
  }) and f or nil
end

-- Returns the lines that were replaced near a row, with some around them; nil if enough were searched.
local function part_of(buf, r, row)
  if r.part and math.abs(r.part.near - row) < reach / 2 then
    return r.part
  elseif (r.parts or 0) >= most then
    return nil
  end
  local from = math.max(r.first - 50, row - reach, 0)
  local lines = api.nvim_buf_get_lines(buf, from, math.min(r.now + 50, row + reach), false)
  r.part, r.parts = { near = row, from = from, lines = lines, at = {} }, (r.parts or 0) + 1
  return r.part
end

local forms = {
  exact = function(line)
    return line
  end,
  bare = function(line)
    return (line:gsub("%s+", ""))
  end,
}

-- Returns the row nearest to another at which lines are in a form. Only what was replaced can have them: lines
-- like them elsewhere are others.
local function nearest(part, r, row, lines, form)
  local f, at = forms[form], part.at[form]
  if not at then
    at = {}
    part.at[form] = at
    for i, line in ipairs(part.lines) do
      local key = f(line)
      at[key] = at[key] or {}
      table.insert(at[key], part.from + i - 1)
    end
  end
  local best
  for _, found in ipairs(at[f(lines[1])] or {}) do
    local same = found < r.now and found + #lines > r.first
    same = same and (not best or math.abs(found - row) < math.abs(best - row))
    for i = 2, same and #lines or 0 do
      local line = part.lines[found - part.from + i]
      same = same and line ~= nil and f(line) == f(lines[i])
    end
    best = same and found or best
  end
  return best
end

--- Returns the row at which lines are by now that were replaced, or formatted, from 0; nil if they are not known to be
--- there.
---@param buf integer
---@param r acp.Replaced
---@param row integer where they were
---@param lines string[]
---@param gone boolean they were not there any more
---@return integer?
function M.again(buf, r, row, lines, gone)
  local size = #forms.bare(table.concat(lines))
  local touched = row < r.last and row + #lines > r.first
  local part = (gone and size > 3 or not gone and touched) and part_of(buf, r, row)
  if not part then
    return nil
  end
  local found = nearest(part, r, row, lines, "exact")
  return found or not gone and size > 0 and nearest(part, r, row, lines, "bare") or nil
end

--- Returns the line with a text in a buffer that was read, as near as possible to where that was before.
---@param buf integer
---@param line integer 1-based
---@param text string
---@return integer? line
function M.find(buf, line, text)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  for distance = 0, math.max(#lines, line) do
    for _, row in ipairs({ line - distance, line + distance }) do
      if lines[row] == text then
        return row
      end
    end
  end
end

return M
