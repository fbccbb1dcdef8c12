--- The lines that agents were asked about, as places in buffers: they move with the text.
local M = {}

local api = vim.api
local rows = require("nvim-acp.edit.rows")

---@class acp.Place
---@field s acp.Session
---@field buf integer
---@field kind "edit"|"ask"
---@field instruction string
---@field rows acp.Rows? where its lines are; nil: they were not there when the buffer was read again
---@field seen integer number of its text, as the host was told last
---@field told string[] that text
---@field lost boolean? the marks of its diff may be elsewhere
---@field due boolean? the buffer has changed in this tick
---@field dirty boolean? the text may be another by now
---@field moved boolean? the host is to draw it anew, though the lines may be the same
---@field frame table? what the host has said last
---@field marks table[] the diff, see draw.lua: extmarks, and lines that come
---@field fills table<integer, integer>? by window: the lines that were last shown above its first line
---@field head integer? extmark of the line above
---@field head_held integer? extmark that keeps its place while no window is near, see viewport.lua
---@field tint integer? extmark of the background
---@field done fun(result: acp.EditResult)? called at its end
---@field at table? where keys are valid
---@field text integer? buffer of the answer as the user changes it
---@field aside boolean? its answer was dropped, and may be brought back
---@field away boolean? its buffer was unloaded since
---@field room acp.RowRoom? how its diff breaks lines; nil: it does not
---@field wanted boolean? the user goes to the float of its answer as soon as it is there
---@field bare boolean? its diff was removed, and the host has not drawn it anew

---@type table<string, acp.Place> by session
M.all = {}

--- Called when the lines of a place are gone, as after |:edit|.
---@type fun(p: acp.Place)
M.on_gone = function() end

--- Called when the lines of a place have changed.
---@type fun(p: acp.Place)
M.on_typed = function() end

---@type table<integer, boolean> buffers that are followed
local followed = {}

--- Returns the rows of a place, from 0: the first, and the one after the last. Lines that were inserted above it, or
--- joined with others, are not in it.
---@param p acp.Place
---@return integer first, integer last
function M.rows(p)
  if not p.rows or not api.nvim_buf_is_valid(p.buf) then
    return 0, 0
  end
  local count = api.nvim_buf_line_count(p.buf) -- that of an empty buffer is 1
  local first = math.min(p.rows.top, count)
  return first, math.max(first, math.min(p.rows.bottom, count))
end

--- Returns the lines of a place.
---@param p acp.Place
---@return string[]
function M.lines(p)
  local first, last = M.rows(p)
  return api.nvim_buf_is_valid(p.buf) and api.nvim_buf_get_lines(p.buf, first, last, false) or {}
end

-- Finds lines in a range of rows of a buffer. Returns the first row of each occurrence.
local function occurrences(buf, lines, first, last)
  local list, text = {}, api.nvim_buf_get_lines(buf, first, last, false)
  for row = 0, #lines > 0 and #text - #lines or -1 do
    local same = true
    for i, line in ipairs(lines) do
      same = text[row + i] == line
      if not same then
        break
      end
    end
    if same then
      table.insert(list, first + row)
    end
  end
  return list
end

-- Returns the number of the last change of a buffer that is not undone.
local function change_of(buf)
  if buf == api.nvim_get_current_buf() then
    return vim.fn.changenr()
  end
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

--- Ends a tick in which the buffer of a place has changed, if it has, before anything is drawn: sends the lines to the
--- host if they are others.
---@param p acp.Place
function M.settle(p)
  if not p.due then
    return
  end
  local dirty = p.dirty
  if M.all[p.s.id] ~= p or not api.nvim_buf_is_loaded(p.buf) then
    p.due = nil
    return
  elseif not p.rows then
    return M.on_gone(p)
  end

  local torn = rows.settle(p.rows, change_of(p.buf), function(first, last)
    return api.nvim_buf_get_lines(p.buf, first, last, false)
  end)
  if torn then
    p.lost, p.moved = true, true
  end
  local lines = p.told
  if dirty or p.moved then
    lines = M.lines(p)
    lines = vim.deep_equal(lines, p.told) and p.told or lines
  end
  rows.remember(p.rows, lines)
  p.due, p.dirty = nil, nil
  if p.moved or lines ~= p.told then
    p.seen, p.told, p.moved = p.seen + 1, lines, nil
    require("nvim-acp.state").notify(p.s, "edit_typed", { lines = lines, seen = p.seen })
  end
  if dirty or torn then
    M.on_typed(p)
  end
end

--- Has the host draw a place anew, if windows break lines in another way than its diff does.
---@param p acp.Place
function M.refit(p)
  if not vim.deep_equal(p.room, require("nvim-acp.ui.rows").room(p.buf)) then
    p.lost, p.moved, p.due = true, true, true
    M.settle(p)
  end
end

-- Finds a place after its buffer was read again: at the same lines nearest to their old position.
local function find_again(p)
  local best
  for _, row in ipairs(occurrences(p.buf, p.told, 0, -1)) do
    if not best or math.abs(row - p.rows.top) < math.abs(best - p.rows.top) then
      best = row
    end
  end
  p.lost, p.moved = true, true
  p.rows = best and rows.new(best, best + #p.told, change_of(p.buf))
end

-- Follows a change of rows of a buffer.
local function changed(buf, from, to, new)
  local number = buf == api.nvim_get_current_buf() and vim.fn.changenr()
  for _, p in pairs(M.all) do
    if p.buf == buf and p.rows then
      local near = from <= p.rows.bottom and math.max(to, new) >= p.rows.top
      p.dirty = p.dirty or near or nil
      if number then
        rows.at(p.rows, number)
      end
      rows.change(p.rows, from, to, new, function(first, last, old)
        local list = occurrences(buf, p.told, first, last)
        local row = vim.list_contains(list, old) and old or #list == 1 and list[1] or nil
        return row, #p.told
      end)
      if not p.due then
        p.due = true
        vim.schedule(function()
          M.settle(p)
        end)
      end
    end
  end
end

--- Called when a buffer with places is unloaded.
---@type fun(buf: integer)
M.on_unload = function() end

local function follow(buf)
  if followed[buf] then
    return
  end
  followed[buf] = api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, from, to, new)
      if not followed[buf] then
        return true
      end
      changed(buf, from, to, new)
    end,
    on_detach = function()
      if not followed[buf] then
        return
      end
      followed[buf] = nil
      vim.schedule(function()
        if not api.nvim_buf_is_loaded(buf) then
          for _, p in ipairs(M.of(buf)) do
            p.away = true
          end
          M.on_unload(buf)
        elseif #M.of(buf) > 0 then -- it was read again
          follow(buf)
          for _, p in ipairs(M.of(buf)) do
            find_again(p)
            p.due = true
            M.settle(p)
          end
        end
      end)
    end,
  }) or nil
end

--- Finds a place whose buffer was unloaded, and is loaded again.
---@param p acp.Place
---@return boolean found
function M.back(p)
  p.away = nil
  follow(p.buf)
  find_again(p)
  return p.rows ~= nil
end

--- Creates a place for lines of a buffer.
---@param s acp.Session
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
---@param more table
---@return acp.Place
function M.new(s, buf, range, more)
  local p = vim.tbl_extend("error", { s = s, buf = buf, seen = 0, marks = {} }, more)
  p.rows = rows.new(range[1] - 1, range[2], change_of(buf))
  p.told = M.lines(p)
  rows.remember(p.rows, p.told)
  M.all[s.id] = p
  follow(buf)
  return p
end

--- Removes a place.
---@param p acp.Place
function M.remove(p)
  M.all[p.s.id] = nil
  for _, other in pairs(M.all) do
    if other.buf == p.buf then
      return
    end
  end
  followed[p.buf] = nil
end

--- Returns the places of a buffer, in the order of the text.
---@param buf integer
---@return acp.Place[]
function M.of(buf)
  local list = {}
  for _, p in pairs(M.all) do
    if p.buf == buf then
      table.insert(list, p)
    end
  end
  table.sort(list, function(a, b)
    return M.rows(a) < M.rows(b)
  end)
  return list
end

-- Returns the places of a buffer whose answers were not dropped, in the order of the text.
local function visible(buf)
  return vim.tbl_filter(function(p)
    return not p.aside
  end, M.of(buf))
end

--- Returns the place at a row of a buffer, from 0. A place whose lines were deleted is at the line that follows, unless
--- that belongs to another place.
---@param buf integer
---@param row integer
---@return acp.Place?
function M.at(buf, row)
  local gone
  for _, p in ipairs(visible(buf)) do
    local first, last = M.rows(p)
    if row >= first and row < last then
      return p
    elseif row == first then -- it has none
      gone = p
    end
  end
  return gone
end

--- Returns the places that a range overlaps.
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
---@return acp.Place[]
function M.overlapped(buf, range)
  return vim.tbl_filter(function(p)
    local first, last = M.rows(p)
    return first < last and first < range[2] and last > range[1] - 1
  end, visible(buf))
end

--- Has the host draw a place anew.
---@param p acp.Place
function M.again(p)
  p.seen, p.told = p.seen + 1, M.lines(p)
  require("nvim-acp.state").notify(p.s, "edit_typed", { lines = p.told, seen = p.seen })
end

--- Ends the places in a range whose lines were deleted.
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
function M.sweep(buf, range)
  for _, p in ipairs(M.of(buf)) do
    local first, last = M.rows(p)
    if first == last and first >= range[1] - 1 and first <= range[2] then
      M.on_gone(p)
    end
  end
end

return M
