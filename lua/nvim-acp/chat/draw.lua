--- Draws a session's frames into its transcript buffer: blocks of lines with marks, each anchored by one extmark.
local M = {}

local api = vim.api
local align = require("nvim-acp.ui.align")
local indent = require("nvim-acp.ui.indent")
local blocks = require("nvim-acp.chat.blocks")
local fixed = require("nvim-acp.ui.fixed")
local marks_ns = api.nvim_create_namespace("nvim-acp.marks")

-- What virtual text is set with: one table for all, as there is much of it. Where a line begins above the window, text
-- that is not hidden would cover the row that is shown first.
local virtual = { strict = false, hl_mode = "combine", virt_text_hide = true }

-- A sign is beside the first row of a line. The text over the column of signs is beside each row that it wraps to.
local sign = { strict = false, virt_text_win_col = -2, virt_text_repeat_linebreak = true }

-- Draws virtual text as the host encodes it, one flat list: row, column, place, how many chunks, and text and group of
-- each.
local function set_virtual(buf, first, list, room)
  local right, i = {}, 1
  while i <= #list do
    local row, col, at, count = first + list[i], list[i + 1], list[i + 2], list[i + 3]
    local chunks = {}
    for n = 1, count do
      chunks[n] = { list[i + 2 + 2 * n], list[i + 3 + 2 * n] }
    end
    i = i + 4 + 2 * count
    if at == "right" then
      table.insert(right, { row, chunks })
    elseif at == "sign" then
      sign.sign_text, sign.sign_hl_group = chunks[1][1], chunks[1][2]
      sign.virt_text = require("nvim-acp.ui.virtual").text(chunks)
      api.nvim_buf_set_extmark(buf, marks_ns, row, col, sign)
    else
      virtual.virt_text = require("nvim-acp.ui.virtual").text(chunks)
      virtual.virt_text_pos = at == "over" and "overlay" or "inline"
      api.nvim_buf_set_extmark(buf, marks_ns, row, col, virtual)
    end
  end
  for _, v in ipairs(right) do -- once everything else on the line is drawn
    align.set(buf, v[1], v[2], room)
  end
end

local function set_marks(buf, row, op, room)
  require("nvim-acp.ui.marks").draw(buf, marks_ns, row, op.marks, op.lines)
  set_virtual(buf, row, op.virt or {}, room)
  local lines = op.lines or api.nvim_buf_get_lines(buf, row, row + (op.rows or 0), false)
  require("nvim-acp.ui.names").lines(buf, row, lines)
end

--- Draws the marks of lines: those of an operation of a transcript.
---@param buf integer
---@param row integer of the first of its lines
---@param op table
function M.marks(buf, row, op)
  set_marks(buf, row, op)
end

-- Neovim removes the marks that end there together with those that begin there: that of the whole line before.
local function clear_marks(buf, from, to)
  local before = {}
  if from > 0 then
    before = api.nvim_buf_get_extmarks(buf, marks_ns, { from - 1, 0 }, { from - 1, -1 }, { details = true })
  end
  api.nvim_buf_clear_namespace(buf, marks_ns, from, to)
  for _, mark in ipairs(before) do
    if mark[4].end_row == from then
      require("nvim-acp.ui.style").whole_line(buf, marks_ns, from - 1, mark[4].hl_group, mark[3])
    end
  end
  align.clear(buf, from, to)
  indent.clear(buf, from, to)
  require("nvim-acp.ui.names").clear(buf, from, to)
end

-- Adds a block: above any other, above the first one, for which `ahead` collects them, or at the end.
local function new_block(buf, all, op, empty, ahead)
  local block, row = { count = 0 }, 0
  if op.amid then
    all.blocks[op.id] = block
    blocks.insert(all, op.id, op.amid)
    return block, blocks.row_of(buf, all.blocks[op.amid])
  elseif op.before then
    row = blocks.row_of(buf, all.blocks[op.before])
  elseif not empty then
    row = api.nvim_buf_line_count(buf)
  end
  all.blocks[op.id] = block
  table.insert(op.before and ahead or all.order, op.id)
  return block, row
end

-- Replaces the lines op.from to op.to (nil: the end) of a block; a block not yet known is added. What is read in
-- windows stays where it is. Returns how many more lines the block has now.
local function apply(buf, all, op, ahead, room, reading)
  local empty = #all.order == 0
  local block = all.blocks[op.id]
  local row = block and blocks.row_of(buf, block)
  if not block then
    block, row = new_block(buf, all, op, empty, ahead)
  end
  local from = row + op.from
  if op.rows then -- the lines stay as they are
    clear_marks(buf, from, from + op.rows)
    set_marks(buf, from, op, room)
    return 0
  end
  local old = row + (op.to or block.count)
  local count = op.from + #op.lines + (op.to and block.count - op.to or 0)
  if empty then
    old = 1 -- the one line of an empty buffer
  end
  local read = {}
  if old > from then
    clear_marks(buf, from, old)
    read = require("nvim-acp.chat.scroll_anchor").note(buf, reading, from, old)
  end
  api.nvim_buf_set_lines(buf, from, old, false, op.lines)
  block.count = count
  blocks.mark(buf, block, row)
  set_marks(buf, from, op, room)
  if op.data then
    block.data = blocks.data(op.data, 1)
  end
  require("nvim-acp.chat.scroll_anchor").keep(buf, read, op)
  return #op.lines - (old - from)
end

-- Adds new blocks, with one call for the lines of all: each call moves what comes after them. Returns how many lines
-- these are.
local function add(buf, all, op, ahead, room)
  local empty, row, at = #all.order == 0, 0, 1
  if op.before then
    row = blocks.row_of(buf, all.blocks[op.before])
  elseif not empty then
    row = api.nvim_buf_line_count(buf)
  end
  api.nvim_buf_set_lines(buf, row, empty and 1 or row, false, op.lines) -- an empty buffer has one line
  local first, order = row, op.before and ahead or all.order
  for i, id in ipairs(op.ids) do
    local block = { count = op.counts[i] }
    block.data, at = blocks.data(op.data, at)
    all.blocks[id] = block
    table.insert(order, id)
    blocks.mark(buf, block, row)
    row = row + block.count
  end
  set_marks(buf, first, op, room)
  return #op.lines
end

-- Shows the end of a transcript: of a line that is taller than the window its last row, unless it is the only one, such
-- as that which says why no agent has started.
local function follow(win, line, shrunk)
  local text = api.nvim_buf_get_lines(api.nvim_win_get_buf(win), line - 1, line, false)[1] or ""
  local height = api.nvim_win_get_height(win)
  local tall = line > 1 and #text > height and api.nvim_win_text_height(win, { start_row = line - 1 }).all > height
  pcall(api.nvim_win_set_cursor, win, { line, tall and #text or 0 })
  require("nvim-acp.permission.scroll").settle(win, shrunk)
end

--- Resets 'modified' of a transcript, which getbufinfo() lists otherwise. While a turn runs it stays set: Neovim
--- redraws all status lines for each change of it.
---@param s acp.Session
function M.reset_modified(s)
  local buf = require("nvim-acp.state.buffers").transcript(s)
  if buf and s.state ~= "busy" then
    vim.bo[buf].modified = false
  end
end

--- Draws the operations of one frame.
---@param s acp.Session
---@param ops table[]
---@param reset boolean start from an empty buffer
---@return boolean drawn false: the buffer has not what was before, and the host must send everything again
function M.draw(s, ops, reset)
  local buf = require("nvim-acp.chat.buffer").ensure(s)
  if reset then
    s.undrawn = nil
    blocks.reset(s)
    require("nvim-acp.chat.unread").forget(s)
    api.nvim_buf_clear_namespace(buf, -1, 0, -1)
    align.clear(buf, 0, -1)
    fixed.write(buf, 0, -1, {})
  elseif s.undrawn or blocks.lost(s, buf) then
    return false
  end
  local all = blocks.of(s, buf)
  local last = api.nvim_buf_line_count(buf)
  local wins, following, any = require("nvim-acp.state.buffers").windows(s, "transcript"), {}, false
  local reading = {} -- windows that do not follow
  for _, win in ipairs(wins) do
    local at_end = api.nvim_win_get_cursor(win)[1] >= last
    following[win] = require("nvim-acp.config").options.chat.follow and at_end
    any = any or at_end
    if not following[win] then
      table.insert(reading, win)
    end
  end
  local final = all.order[#all.order]
  local unread = require("nvim-acp.chat.unread")
  local first_new, longer, room
  local locked, shrunk, fresh, ahead = false, false, 0, {} -- fresh: lines of text that was not there
  local opened = 0 -- lines that the user has unfolded
  fixed.change(buf, function()
    for _, op in ipairs(ops) do
      local id = op.id or op.ids[1]
      first_new = first_new or (not all.blocks[id] and not op.before and not op.amid and id) or nil
      local toggled = not op.again and unread.folded(s, id)
      longer = longer or id == final and not op.again and not toggled
      room = room or op.virt and align.fit(buf)
      local how = op.ids and add or apply
      local _, more, lock = require("nvim-acp.ui.try").call(how, buf, all, op, ahead, room, reading)
      locked, shrunk = locked or lock, shrunk or op.to ~= nil or (more or 0) < 0
      fresh = fresh + (op.again and 0 or more or 0)
      opened = toggled and more or opened
    end
  end)
  for n = #ahead, 1, -1 do
    table.insert(all.above, ahead[n])
  end
  if locked then
    error("E565", 0)
  end
  s.drawn = #all.order > 0
  local count = api.nvim_buf_line_count(buf)
  for _, win in ipairs(wins) do
    if following[win] then
      follow(win, count, shrunk)
    end
  end
  for _, read in ipairs(opened > 0 and reading or {}) do
    if read == api.nvim_get_current_win() then
      local line = api.nvim_win_get_cursor(read)[1]
      require("nvim-acp.ui.window").reveal(read, line, math.min(line + opened, count))
    end
  end
  unread.keep(s, buf)
  if fresh > 0 and #wins > 0 and (first_new or longer) then -- not in the middle: unfolded text there is not new
    local prompt = vim.iter(ops):any(function(op)
      return op.data
        and vim.iter(op.ids or { op.id }):any(function(id)
          return all.blocks[id] and all.blocks[id].data.kind == "user"
        end)
    end)
    local row = first_new and not longer and blocks.row_of(buf, all.blocks[first_new]) or count - fresh
    unread.drawn(s, buf, row, any, prompt)
  end
  return true
end

return M
