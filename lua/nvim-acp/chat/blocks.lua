--- The blocks of a transcript, each anchored by one extmark.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.blocks")

---@class acp.Block
---@field mark integer extmark at its first line
---@field count integer lines
---@field data table? for keys: { kind, head, folds, open, parts = { { row, id, folds, open, terminals } } }

--- What is drawn into buf. order has the ids of those that came one after the other, above those that were added above
--- them, the last first.
---@alias acp.Blocks { buf: integer, blocks: table<string, acp.Block>, order: string[], above: string[] }

---@type table<string, acp.Blocks> by session
local drawn = {}

--- Returns the drawn blocks of a session, in a table to draw into.
---@param s acp.Session
---@param buf integer its transcript
---@return acp.Blocks
function M.of(s, buf)
  drawn[s.id] = drawn[s.id] or { buf = buf, blocks = {}, order = {}, above = {} }
  return drawn[s.id]
end

-- Returns the transcript of a session and what is drawn in it, nil if nothing is.
local function shown(s)
  local buf, all = require("nvim-acp.state.buffers").transcript(s), drawn[s.id]
  if buf and all and all.buf == buf then
    return buf, all
  end
end

--- Drops the blocks of a session.
---@param s acp.Session
function M.reset(s)
  drawn[s.id] = nil
end

--- Returns what the host tells of a block for keys, which it encodes as one flat list: kind, head, folds and open of
--- each block, how many parts it has, and row, id, folds, open and terminals of each.
---@param list any[]
---@param at integer where the block's values begin
---@return table data
---@return integer at those of the next block
function M.data(list, at)
  local data = { kind = list[at], head = list[at + 1], folds = list[at + 2], open = list[at + 3] }
  local count = list[at + 4]
  at = at + 5
  if count > 0 then
    data.parts = {}
  end
  for i = 1, count do
    data.parts[i] = {
      row = list[at],
      id = list[at + 1],
      folds = list[at + 2],
      open = list[at + 3],
      terminals = list[at + 4] or nil,
    }
    at = at + 5
  end
  return data, at
end

--- Returns the row of a block's first line, from 0.
---@param buf integer
---@param block acp.Block
---@return integer
function M.row_of(buf, block)
  return api.nvim_buf_get_extmark_by_id(buf, ns, block.mark, {})[1]
end

local new_mark = { strict = false }

--- Marks the first row of a block.
---@param buf integer
---@param block acp.Block
---@param row integer from 0
function M.mark(buf, block, row)
  local opts = block.mark and { id = block.mark, strict = false } or new_mark
  block.mark = api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
end

--- Reports whether the blocks of a session were drawn into another buffer, which is gone.
---@param s acp.Session
---@param buf integer its transcript
---@return boolean
function M.lost(s, buf)
  return drawn[s.id] ~= nil and drawn[s.id].buf ~= buf
end

--- Returns the first row of a block, nil if there is no such block.
---@param s acp.Session
---@param id string
---@return integer?
function M.row(s, id)
  local buf, all = shown(s)
  local block = all and all.blocks[id]
  return block and M.row_of(buf, block)
end

-- Returns the id of a block by its place in the transcript, from 1.
local function nth(all, i)
  local above = #all.above
  return i <= above and all.above[above + 1 - i] or all.order[i - above]
end

--- Inserts the id of a block in front of another, the nearest to the end first.
---@param all acp.Blocks
---@param id string
---@param before string
function M.insert(all, id, before)
  for i = #all.order, 1, -1 do
    if all.order[i] == before then
      return table.insert(all.order, i, id)
    end
  end
  for i, other in ipairs(all.above) do
    if other == before then
      return table.insert(all.above, i + 1, id)
    end
  end
end

--- Returns the block at a line of the transcript.
---@param s acp.Session
---@param line integer 1-based
---@return string? id, acp.Block? block, integer? row of the line within the block, from 0
function M.at(s, line)
  local buf, all = shown(s)
  if not all then
    return nil
  end
  local low, high = 1, #all.above + #all.order
  while low < high do
    local mid = math.ceil((low + high) / 2)
    if M.row_of(buf, all.blocks[nth(all, mid)]) <= line - 1 then
      low = mid
    else
      high = mid - 1
    end
  end
  local id = nth(all, low)
  if not id then
    return nil
  end
  return id, all.blocks[id], line - 1 - M.row_of(buf, all.blocks[id])
end

--- Returns the part of a block that a row of it belongs to: a call, a group of calls, a command of a call.
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

--- Returns the lines of a part below its head, without their indent.
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

--- Returns the first lines (1-based) of the blocks of a kind, in order; for calls, the lines of each call and group.
---@param s acp.Session
---@param kind string
---@return integer[]
function M.lines_of(s, kind)
  local buf, all = shown(s)
  local found = {}
  for i = 1, all and #all.above + #all.order or 0 do
    local block = all.blocks[nth(all, i)]
    if block.data and block.data.kind == kind then
      local row = M.row_of(buf, block)
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
