--- Draws a session's frames into its transcript buffer: blocks of lines with marks, each found again by one extmark.
local M = {}

local api = vim.api
local blocks_ns = api.nvim_create_namespace("nvim-acp.blocks")
local marks_ns = api.nvim_create_namespace("nvim-acp.marks")

---@class acp.Block
---@field mark integer extmark at its first line
---@field count integer lines
---@field data table? what keys need: { kind, head, folds, open, parts = { { row, id, folds, open, terminals } } }

---@type table<string, { blocks: table<string, acp.Block>, order: string[] }>
local drawn = {}

---@param s acp.Session
local function of(s)
  drawn[s.id] = drawn[s.id] or { blocks = {}, order = {} }
  return drawn[s.id]
end

local function row_of(buf, block)
  return api.nvim_buf_get_extmark_by_id(buf, blocks_ns, block.mark, {})[1]
end

local function whole_line(buf, line, group)
  require("nvim-acp.look").whole_line(buf, marks_ns, line, group)
end

local function set_marks(buf, row, op)
  local m = op.marks or {}
  for i = 1, #m, 4 do -- row, first column, end column, group
    local line = row + m[i]
    local stop = m[i + 2]
    if stop < 0 then
      whole_line(buf, line, m[i + 3])
    else
      local priority = (m[i + 3] == "AcpAddText" or m[i + 3] == "AcpDeleteText") and 4200 or nil
      local opts = { end_col = stop, hl_group = m[i + 3], strict = false, priority = priority }
      api.nvim_buf_set_extmark(buf, marks_ns, line, m[i + 1], opts)
    end
  end
  local right = {}
  for _, v in ipairs(op.virt or {}) do
    if v.at == "right" then
      table.insert(right, v)
    else
      local opts = { strict = false }
      if v.at == "sign" then
        opts.sign_text, opts.sign_hl_group = v.chunks[1][1], v.chunks[1][2]
      else
        opts.virt_text, opts.virt_text_pos, opts.hl_mode = v.chunks, "inline", "combine"
      end
      api.nvim_buf_set_extmark(buf, marks_ns, row + v.row, v.col or 0, opts)
    end
  end
  for _, v in ipairs(right) do -- when all that takes room on its line is there
    require("nvim-acp.right").set(buf, row + v.row, v.chunks)
  end
end

-- With the marks that begin there Neovim takes those away that end there: that of the whole line before.
local function clear_marks(buf, from, to)
  local before = {}
  if from > 0 then
    before = api.nvim_buf_get_extmarks(buf, marks_ns, { from - 1, 0 }, { from - 1, -1 }, { details = true })
  end
  api.nvim_buf_clear_namespace(buf, marks_ns, from, to)
  for _, mark in ipairs(before) do
    if mark[4].end_row == from then
      whole_line(buf, from - 1, mark[4].hl_group)
    end
  end
  require("nvim-acp.right").clear(buf, from, to)
end

local function new_block(buf, all, id, empty)
  local row = empty and 0 or api.nvim_buf_line_count(buf)
  local block = { count = 0 }
  all.blocks[id] = block
  table.insert(all.order, id)
  return block, row
end

--- Replaces the lines op.from to op.to (nil: the end) of a block; a block not yet known is added at the end.
local function apply(buf, all, op)
  local empty = #all.order == 0
  local block = all.blocks[op.id]
  local row = block and row_of(buf, block)
  if not block then
    block, row = new_block(buf, all, op.id, empty)
  end
  local from = row + op.from
  if op.rows then -- the lines stay as they are
    clear_marks(buf, from, from + op.rows)
    return set_marks(buf, from, op)
  end
  local old = row + (op.to or block.count)
  local count = op.from + #op.lines + (op.to and block.count - op.to or 0)
  if empty then
    old = 1 -- the one line of an empty buffer
  end
  if old > from then
    clear_marks(buf, from, old)
  end
  api.nvim_buf_set_lines(buf, from, old, false, op.lines)
  block.count = count
  block.mark = api.nvim_buf_set_extmark(buf, blocks_ns, row, 0, { id = block.mark, strict = false })
  set_marks(buf, from, op)
  if op.data then
    block.data = op.data
  end
end

local function follow(win, line)
  pcall(api.nvim_win_set_cursor, win, { line, 0 })
  require("nvim-acp.lift").settle(win)
end

--- Whether there is anything in a session's transcript.
---@param s acp.Session
---@return boolean
function M.shows(s)
  return drawn[s.id] ~= nil and #drawn[s.id].order > 0
end

--- Whether anything of a session was ever drawn: a buffer that is new has then lost it.
---@param s acp.Session
---@return boolean
function M.began(s)
  return drawn[s.id] ~= nil
end

--- Draws the operations of one frame.
---@param s acp.Session
---@param ops table[]
---@param reset boolean start from an empty buffer
---@return boolean drawn false: the buffer is gone, and the host must send everything again
function M.draw(s, ops, reset)
  local chat = require("nvim-acp.chat")
  local buf, new = chat.ensure_transcript(s)
  if reset then
    drawn[s.id] = nil
    require("nvim-acp.unread").forget(s)
    vim.bo[buf].modifiable = true
    api.nvim_buf_clear_namespace(buf, -1, 0, -1)
    require("nvim-acp.right").clear(buf, 0, -1)
    api.nvim_buf_set_lines(buf, 0, -1, false, {})
  elseif new and drawn[s.id] then
    return false
  end
  local all = of(s)
  local last = api.nvim_buf_line_count(buf)
  local wins, following, any = chat.windows(s, "transcript"), {}, false
  for _, win in ipairs(wins) do
    local at_end = api.nvim_win_get_cursor(win)[1] >= last
    following[win] = require("nvim-acp.config").options.chat.follow and at_end
    any = any or at_end
  end
  local final = all.order[#all.order]
  local unread = require("nvim-acp.unread")
  vim.bo[buf].modifiable = true
  local first_new, longer
  local locked = false
  for _, op in ipairs(ops) do
    first_new = first_new or (not all.blocks[op.id] and op.id) or nil
    longer = longer or op.id == final and not unread.folded(s, op.id)
    local _, _, lock = require("nvim-acp.draw").try(apply, buf, all, op)
    locked = locked or lock
  end
  vim.bo[buf].modifiable = false
  if locked then
    error("E565", 0)
  end
  vim.bo[buf].modified = false
  local count = api.nvim_buf_line_count(buf)
  for _, win in ipairs(wins) do
    if following[win] then
      follow(win, count)
    end
  end
  unread.keep(s, buf)
  if count > last and #wins > 0 and (first_new or longer) then -- not in the middle: what was folded there is not new
    local prompt = vim.iter(ops):any(function(op)
      return op.data and op.data.kind == "user"
    end)
    unread.drawn(s, buf, first_new and not longer and row_of(buf, all.blocks[first_new]) or last, any, prompt)
  end
  return true
end

--- The row at which a block begins, nil if there is no such block.
---@param s acp.Session
---@param id string
---@return integer?
function M.row(s, id)
  local buf, block = require("nvim-acp.chat").transcript(s), of(s).blocks[id]
  return buf and block and row_of(buf, block)
end

--- The block at a line of the transcript.
---@param s acp.Session
---@param line integer 1-based
---@return string? id, acp.Block? block, integer? row of the line within the block, from 0
function M.at(s, line)
  local buf = require("nvim-acp.chat").transcript(s)
  if not buf then
    return nil
  end
  local all = of(s)
  local low, high = 1, #all.order
  while low < high do
    local mid = math.ceil((low + high) / 2)
    if row_of(buf, all.blocks[all.order[mid]]) <= line - 1 then
      low = mid
    else
      high = mid - 1
    end
  end
  local id = all.order[low]
  if not id then
    return nil
  end
  return id, all.blocks[id], line - 1 - row_of(buf, all.blocks[id])
end

--- The part of a block that a row of it belongs to: a call, a group of calls, a command of one.
---@param block acp.Block
---@param row integer
---@return table? part
function M.part(block, row)
  local found
  for _, part in ipairs(block.data and block.data.parts or {}) do
    if part.row > row then
      break
    end
    found = part
  end
  return found
end

--- The lines of a part below its head, without what they are indented by.
---@param block acp.Block
---@param part table
---@param lines string[] of the block
---@return string[]
function M.part_lines(block, part, lines)
  local stop = #lines
  for _, other in ipairs(block.data.parts) do
    if other.row > part.row then
      stop = math.min(stop, other.row)
    end
  end
  local found = {}
  for i = part.row + (part.folds and 2 or 1), stop do
    table.insert(found, lines[i])
  end
  local indent
  for _, line in ipairs(found) do
    if line ~= "" then
      indent = math.min(indent or 99, #line:match("^ *"), 99)
    end
  end
  return vim.tbl_map(function(line)
    return line:sub((indent or 0) + 1)
  end, found)
end

--- First lines (1-based) of the blocks whose data has this kind, in order; of calls, the lines of each call and group.
---@param s acp.Session
---@param kind string
---@return integer[]
function M.lines_of(s, kind)
  local buf, all, found = require("nvim-acp.chat").transcript(s), of(s), {}
  for _, id in ipairs(buf and all.order or {}) do
    local block = all.blocks[id]
    if block.data and block.data.kind == kind then
      local row = row_of(buf, block)
      for _, part in ipairs(block.data.parts or {}) do
        if part.folds then
          table.insert(found, row + part.row + 1)
        end
      end
      if not block.data.parts then
        table.insert(found, row + (block.data.head or 0) + 1)
      end
    end
  end
  return found
end

return M
