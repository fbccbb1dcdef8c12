--- Changes of agents that wait for a review, marked in the buffers of their files: a sign and a colour for added lines,
--- virtual lines for removed ones. The marks move with the text; where the text has changed the host sends them again.
local M = {}

local api = vim.api

---@class acp.Hunk
---@field session string
---@field id integer
---@field sum string of its lines
---@field row integer from 0
---@field added integer lines
---@field removed string[]
---@field words integer[][] line, from, to
---@field more integer removed lines that are not among these
---@field gone integer[][] the same of removed lines
---@field unknown boolean
---@field marks integer[] extmarks, the first at the row of the hunk
---@field ends boolean? its removed lines are below the last line of the text
---@field rows integer? in which its removed lines are shown
---@field round integer in which the host has named it last
---@field nth integer counts the hunks as the host has named them: of those at one row the last change comes first
---@field colours table<integer, acp.Coloured[]>? those of the removed lines, once they are known
---@field source string? what coloured the buffer then
---@field asked string? what the host was last asked for
---@field decided boolean? the host was told of a decision on it, and has not named it since

---@type table<integer, table<string, acp.Hunk>> by buffer and key
local shown = {}
---@type table<integer, integer> by buffer, how often all of its hunks were named
local rounds = {}

--- Called when all marks of a buffer are drawn, or removed.
---@type fun(buf: integer)
M.on_drawn = function() end

---@type table<integer, boolean> buffers whose marks are not shown: they are compared in diff mode
local bare = {}

local function stays(buf, old, new)
  local row = old and old.sum == new.sum and require("nvim-acp.review.extmarks").row(buf, old)
  return row == math.min(new.row, api.nvim_buf_line_count(buf) - 1)
end

---@type table<integer, string> by buffer, how lines were broken and coloured when all removed ones were drawn
local fits = {}
local function way_of(buf, room)
  local way = room and ("%d %s %s "):format(room.width, room.words, room.indent) or ""
  return way .. require("nvim-acp.review.syntax").source(buf)
end

-- Returns how the lines of a buffer are broken and coloured now if removed ones are drawn in another way. While one is
-- unloaded its window may go on with another already.
local function misfit(buf)
  if not shown[buf] or not api.nvim_buf_is_loaded(buf) then
    return nil
  end
  local room = require("nvim-acp.ui.rows").room(buf)
  local way = way_of(buf, room)
  return fits[buf] ~= way and way or nil, room
end

-- Draws the removed lines of a hunk anew.
local function redraw(buf, hunk, room)
  if not bare[buf] then
    require("nvim-acp.review.extmarks").redraw(buf, hunk, room)
  end
end

---@type table<integer, true> buffers with removed lines that may lack colours
local plain = {}

-- Draws the removed lines of a buffer as the text is drawn now.
local function refit(buf)
  local how, room = misfit(buf)
  if not how then
    return
  end
  fits[buf], plain[buf] = how, true
  require("nvim-acp.review.top").hold(buf, function()
    for _, hunk in pairs(shown[buf]) do
      redraw(buf, hunk, room)
    end
  end)
end

-- Asks the host for the colours of a buffer's removed lines that it was not asked for.
local function ask(buf)
  local own, syntax = shown[buf], require("nvim-acp.review.syntax")
  if not (own and plain[buf] and api.nvim_buf_is_loaded(buf) and syntax.asks(buf)) then
    return
  end
  plain[buf] = nil
  local hunks, due = {}, false
  for _, hunk in pairs(own) do
    if require("nvim-acp.review.extmarks").follow(buf, hunk) then
      local stamp = syntax.stamp(buf, hunk)
      due = due or not hunk.colours and hunk.asked ~= stamp
      hunk.asked = stamp
      table.insert(hunks, hunk)
    end
  end
  if due then
    table.sort(hunks, function(a, b)
      return a.row < b.row
    end)
    syntax.ask(buf, hunks)
  end
end

--- Colours removed lines, as the host has answered.
---@param buf integer
---@param hunks { key: string, sum: string, colours: any[] }[]
function M.colour(buf, hunks)
  local own, syntax = api.nvim_buf_is_loaded(buf) and shown[buf], require("nvim-acp.review.syntax")
  local room = own and require("nvim-acp.ui.rows").room(buf)
  for _, h in ipairs(hunks) do
    local hunk = own and own[h.key]
    if hunk and syntax.stamp(buf, hunk) == h.sum then
      hunk.colours, hunk.source = syntax.read(h.colours), syntax.source(buf)
      if #h.colours > 0 then
        redraw(buf, hunk, room)
      end
    end
  end
end

local watching = false

-- Draws removed lines anew when the text is broken or coloured in another way, and has those coloured that are seen.
-- How wide the columns of signs, numbers and folds are is known only once a window was drawn.
local function watch_windows()
  if watching then
    return
  end
  watching = true
  require("nvim-acp.review.top").watch()
  local drawn = {} ---@type table<integer, true> buffers whose windows were drawn
  api.nvim_set_decoration_provider(api.nvim_create_namespace("nvim-acp.hunks.fit"), {
    on_win = function(_, _, buf)
      drawn[buf] = shown[buf] and true or nil
      return false
    end,
    on_end = function()
      local due = vim.tbl_filter(function(buf)
        return misfit(buf) or plain[buf] and require("nvim-acp.review.syntax").asks(buf)
      end, vim.tbl_keys(drawn))
      drawn = {}
      if #due > 0 then
        vim.schedule(function() -- nothing may change while windows are drawn
          vim.tbl_map(refit, due)
          vim.tbl_map(ask, due)
        end)
      end
    end,
  })
end

local slice = 100 -- hunks that are removed at a time

-- Removes the marks of some hunks that were not named in a round, or later, and reports whether there are more.
local function remove(buf, own, round)
  local removed = 0
  for key, hunk in pairs(own) do
    if hunk.round < round then
      if removed == slice then
        return true
      end
      require("nvim-acp.review.extmarks").clear(buf, hunk)
      own[key] = nil
      removed = removed + 1
    end
  end
  return false
end

-- Removes the marks of all hunks that were not named in a round, or later.
local function sweep(buf, own, round)
  if shown[buf] ~= own then
    return
  end
  local more = false
  require("nvim-acp.review.top").hold(buf, function()
    more = remove(buf, own, round)
  end)
  if more then
    return vim.schedule(function()
      sweep(buf, own, round)
    end)
  end
  -- Neovim draws just the lines at which a mark is: where an edit or undo has moved it, its virtual lines would stay
  -- elsewhere, and a line of text would not be seen.
  require("nvim-acp.ui.redraw").buffer(buf)
  M.on_drawn(buf)
end

local named = 0 -- hunks

-- Marks hunks in a round, those anew that are not as they were.
local function place(buf, own, round, hunks)
  local extmarks = require("nvim-acp.review.extmarks")
  local room = #hunks > 0 and require("nvim-acp.ui.rows").room(buf) or nil
  for _, hunk in ipairs(hunks) do
    local key = hunk.session .. ":" .. hunk.id
    local old = own[key]
    if stays(buf, old, hunk) then
      old.round, old.decided = round, nil
    else
      if old then
        extmarks.clear(buf, old)
      end
      if old and vim.deep_equal(old.removed, hunk.removed) then
        hunk.colours, hunk.source, hunk.asked = old.colours, old.source, old.asked
      end
      plain[buf] = true
      extmarks.set(buf, hunk, room, bare[buf])
      hunk.round = round
      own[key] = hunk
      fits[buf] = fits[buf] == way_of(buf, room) and fits[buf] or nil -- else they are broken in two ways
    end
    named = named + 1
    own[key].nth = named
  end
end

--- Marks hunks. They come in parts, in the order of the text: with the last part marks that were not named are removed.
---@param buf integer
---@param tick integer that they are for
---@param hunks acp.Hunk[]
---@param first boolean
---@param last boolean
---@return boolean current false if the buffer has changed
function M.draw(buf, tick, hunks, first, last)
  if not api.nvim_buf_is_loaded(buf) then
    return true
  elseif require("nvim-acp.files.buffer").tick(buf) ~= tick then
    return false
  end
  if not shown[buf] then
    require("nvim-acp.ui.style").define()
    shown[buf], rounds[buf] = {}, 0
    watch_windows()
    require("nvim-acp.review.watch").follow(buf, M.forget) -- also without hunks: undo and redo bring them back
  end

  local own = shown[buf]
  if first then
    rounds[buf] = rounds[buf] + 1
  end
  require("nvim-acp.review.top").hold(buf, function()
    place(buf, own, rounds[buf], hunks)
  end)
  if last then
    sweep(buf, own, rounds[buf])
  end
  return true
end

--- Hides the marks of a buffer, or shows them again.
---@param buf integer
---@param on boolean
function M.bare(buf, on)
  bare[buf] = on or nil
  if api.nvim_buf_is_loaded(buf) then
    local room, extmarks = require("nvim-acp.ui.rows").room(buf), require("nvim-acp.review.extmarks")
    require("nvim-acp.review.top").hold(buf, function()
      for _, hunk in pairs(shown[buf] or {}) do
        extmarks.follow(buf, hunk)
        extmarks.clear(buf, hunk)
        extmarks.set(buf, hunk, room, on)
      end
    end)
    plain[buf] = true
  end
end

--- Reports whether the hunks of a buffer were drawn: it may have been opened just now.
---@param buf integer
---@return boolean
function M.known(buf)
  return shown[buf] ~= nil
end

--- Reports whether the marks of a buffer, 0 for the current one, are hidden.
---@param buf integer
---@return boolean
function M.is_bare(buf)
  return bare[buf == 0 and api.nvim_get_current_buf() or buf] or false
end

--- Removes all marks of a buffer.
---@param buf integer
function M.forget(buf)
  shown[buf] = nil
  if api.nvim_buf_is_loaded(buf) then
    require("nvim-acp.review.top").hold(buf, function()
      require("nvim-acp.review.extmarks").clear_all(buf)
    end)
  elseif api.nvim_buf_is_valid(buf) then
    require("nvim-acp.review.extmarks").clear_all(buf)
  end
  M.on_drawn(buf)
end

--- Reports whether a buffer has a hunk that is not decided on.
---@param buf integer
---@return boolean
function M.any(buf)
  for _, hunk in pairs(shown[buf] or {}) do
    if not hunk.decided and require("nvim-acp.review.extmarks").row(buf, hunk) then
      return true
    end
  end
  return false
end

--- Returns the hunks of a buffer, 0 for the current one, that are not decided on, with the rows that they have now, in
--- the order of the text.
---@param buf integer
---@return { row: integer, last: integer, hunk: acp.Hunk }[]
function M.of(buf)
  local list = {}
  buf = buf == 0 and api.nvim_get_current_buf() or buf
  for _, hunk in pairs(shown[buf] or {}) do
    local row = not hunk.decided and require("nvim-acp.review.extmarks").row(buf, hunk)
    if row then
      table.insert(list, { row = row, last = row + math.max(hunk.added - 1, 0), hunk = hunk })
    end
  end
  table.sort(list, function(a, b) -- what is above the last line is before what is below it
    if a.row ~= b.row then
      return a.row < b.row
    elseif (a.hunk.ends or false) ~= (b.hunk.ends or false) then
      return b.hunk.ends
    end
    return a.hunk.nth < b.hunk.nth
  end)
  return list
end

--- Shows the removed lines above the first line of the current window, if it is at the top, those above the cursor's
--- line, and those below the last one, if the cursor is there.
function M.reveal()
  local list, buf, line = M.of(0), api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1]
  local reveal, last = require("nvim-acp.review.reveal"), list[#list]
  if not last or bare[buf] then
    return
  end
  local first, here = 0, 0 -- rows above these lines: changes of two sessions may be at one
  for _, h in ipairs(list) do
    local rows = h.hunk.ends and 0 or h.hunk.rows
    first = first + (h.row == 0 and rows or 0)
    here = here + (h.row == line - 1 and rows or 0)
  end
  if first > 0 then
    reveal.above(first, { api.nvim_get_current_win() })
  end
  if here > 0 then
    reveal.before(here)
  end
  if last.hunk.ends and line == last.row + 1 then
    reveal.below()
  end
end

--- Returns the buffers with marks.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(shown)
end

return M
