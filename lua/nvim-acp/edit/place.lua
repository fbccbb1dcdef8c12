--- The lines that agents were asked about, as places in buffers: they move with the text.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edit.place")

---@class acp.Place
---@field s acp.Session
---@field buf integer
---@field kind "edit"|"ask"
---@field instruction string
---@field first integer extmark above its first line, and above what was inserted there
---@field below integer extmark above its first line, below what was inserted there
---@field last integer extmark below its last line
---@field top integer its first row, followed from change to change; extmarks may move before or after that is reported
---@field rewritten boolean? its first line was replaced since its lines were looked at last
---@field seen integer number of its text, as the host was told last
---@field told string[] that text
---@field row integer its first row, as it was known last
---@field lost boolean? its marks went as the buffer was read again
---@field dirty boolean? the text may be another by now
---@field refused boolean? a diff was not shown, as the text might be another
---@field frame table? what the host has said last
---@field marks { id: integer, words: integer[]? }[] extmarks of the diff
---@field head integer? extmark of the line above
---@field tint integer? extmark of the background
---@field done fun(result: acp.EditResult)? called at its end
---@field at table? where keys are valid
---@field text integer? buffer of the answer as the user changes it

---@type table<string, acp.Place> by session
M.all = {}

--- Called when the extmarks of a place are gone, as after |:edit|.
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
---@return boolean? inserted lines were inserted above it, or replace its first ones
function M.rows(p)
  if not api.nvim_buf_is_valid(p.buf) then
    return 0, 0
  end
  local a = api.nvim_buf_get_extmark_by_id(p.buf, ns, p.first, {})
  local below = api.nvim_buf_get_extmark_by_id(p.buf, ns, p.below, {})
  local b = api.nvim_buf_get_extmark_by_id(p.buf, ns, p.last, {})
  if not a[1] or not below[1] or not b[1] then
    return 0, 0
  end
  local first = a[2] > 0 and a[1] + 1 or a[1]
  local inserted = below[1] > a[1]
  if inserted and not p.rewritten then
    first = below[1]
  end
  return first, math.max(first, below[1], b[1]), inserted
end

--- Returns the lines of a place.
---@param p acp.Place
---@return string[]
function M.lines(p)
  local first, last = M.rows(p)
  return api.nvim_buf_is_valid(p.buf) and api.nvim_buf_get_lines(p.buf, first, last, false) or {}
end

-- Sets the extmarks of a place: from row first to the one before last.
local function set_marks(p, first, last)
  p.first = api.nvim_buf_set_extmark(p.buf, ns, first, 0, { id = p.first, right_gravity = false })
  p.below = api.nvim_buf_set_extmark(p.buf, ns, first, 0, { id = p.below })
  p.last = api.nvim_buf_set_extmark(p.buf, ns, last, 0, { id = p.last, right_gravity = false, strict = false })
end

-- Sends the current lines to the host.
local function tell(p)
  p.dirty = nil
  if M.all[p.s.id] ~= p or not api.nvim_buf_is_loaded(p.buf) then
    return
  end
  if not api.nvim_buf_get_extmark_by_id(p.buf, ns, p.first, {})[1] then
    return M.on_gone(p)
  end
  local first, last, inserted = M.rows(p)
  if inserted then
    set_marks(p, first, last)
  end
  p.row, p.top, p.rewritten = first, first, nil
  local lines = M.lines(p)
  if p.refused or not vim.deep_equal(lines, p.told) then
    p.seen, p.told, p.refused = p.seen + 1, lines, nil
    require("nvim-acp.state").notify(p.s, "edit_typed", { lines = lines, seen = p.seen })
  end
  M.on_typed(p)
end

-- Sets the extmarks of a place again after its buffer was read: at the same lines nearest to their old position. If
-- there are none, the place has no extmarks.
local function find_again(p)
  local lines, best = api.nvim_buf_get_lines(p.buf, 0, -1, false), nil
  for row = 0, #lines - math.max(#p.told, 1) do
    local same = #p.told > 0
    for i, line in ipairs(p.told) do
      same = same and lines[row + i] == line
      if not same then
        break
      end
    end
    if same and (not best or math.abs(row - p.row) < math.abs(best - p.row)) then
      best = row
    end
  end
  p.lost, p.refused = true, true
  if best then
    set_marks(p, best, best + #p.told)
  else
    api.nvim_buf_del_extmark(p.buf, ns, p.first)
  end
end

-- Follows the first row of a place through a change of the rows from `from` to `to`, which are up to `new` then.
local function move(p, from, to, new)
  if from <= p.top and p.top < to then
    p.rewritten, p.top = true, from
  elseif to <= p.top then
    p.top = p.top + new - to
  end
end

-- Records a change of rows of a buffer; the extmarks may not have moved yet.
local function changed(buf, from, to, new)
  for _, p in pairs(M.all) do
    if p.buf == buf then
      move(p, from, to, new)
    end
    if p.buf == buf and not p.dirty then
      local first, last = M.rows(p)
      if from <= last + 1 and math.max(to, new) >= first - 1 then
        p.dirty = true
        vim.schedule(function()
          tell(p)
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
          M.on_unload(buf)
        elseif #M.of(buf) > 0 then -- it was read again
          follow(buf)
          for _, p in ipairs(M.of(buf)) do
            find_again(p)
            p.dirty = true
            tell(p)
          end
        end
      end)
    end,
  }) or nil
end

--- Creates a place for lines of a buffer.
---@param s acp.Session
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
---@param more table
---@return acp.Place
function M.new(s, buf, range, more)
  local p = vim.tbl_extend("error", { s = s, buf = buf, seen = 0, marks = {} }, more)
  set_marks(p, range[1] - 1, range[2])
  p.row, p.top = range[1] - 1, range[1] - 1
  p.told = M.lines(p)
  M.all[s.id] = p
  follow(buf)
  return p
end

--- Removes a place.
---@param p acp.Place
function M.remove(p)
  M.all[p.s.id] = nil
  if api.nvim_buf_is_valid(p.buf) then
    for _, id in ipairs({ p.first, p.below, p.last }) do
      api.nvim_buf_del_extmark(p.buf, ns, id)
    end
  end
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

--- Returns the place at a row of a buffer, from 0. A place whose lines were deleted is at the line that follows, unless
--- that belongs to another place.
---@param buf integer
---@param row integer
---@return acp.Place?
function M.at(buf, row)
  local gone
  for _, p in ipairs(M.of(buf)) do
    local first, last = M.rows(p)
    if row >= first and row < last then
      return p
    elseif first == last and row == first then
      gone = p
    end
  end
  return gone
end

--- Reports whether a range overlaps a place.
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
---@return boolean
function M.overlaps(buf, range)
  return vim.iter(M.of(buf)):any(function(p)
    local first, last = M.rows(p)
    return first < last and first < range[2] and last > range[1] - 1
  end)
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
