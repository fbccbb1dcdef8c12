--- Draws the diff of a place, as virtual lines between the lines.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edits")
local place = require("nvim-acp.edit.place")
local viewport = require("nvim-acp.edit.viewport")

-- Over the background of the place, below the review, whose lines are the agent's already.
local priority = 85
-- Over the colours of a parser, 100, which are not those of code that goes.
local over = 101

-- Returns the rows of a line of the diff.
local function virtual(line, plain, room)
  local chunks = {}
  for i, piece in ipairs(line) do
    local text = piece[1]
    if text:find("[%c\128-\255]") then
      text = require("nvim-acp.ui.text").visible(text)
    end
    chunks[i] = { text, plain and piece[2][1] or piece[2] }
  end
  return require("nvim-acp.ui.rows").of(chunks, "AcpReviewAdd", room)
end

-- Draws lines that go, and notes that in `mark`, whose id may be that of an old one.
local function set_gone(p, m, mark, at)
  local row = at.first + m.row
  local opts = { id = mark.id, end_row = row + m.gone, hl_group = "AcpReviewDelete", hl_eol = true }
  opts.strict, opts.priority = false, priority
  mark.id, mark.words = api.nvim_buf_set_extmark(p.buf, ns, row, 0, opts), {}
  for i, w in ipairs(m.words or {}) do
    local word = { end_col = w[3], hl_group = "AcpReviewDeleteText", priority = priority + 1, strict = false }
    mark.words[i] = api.nvim_buf_set_extmark(p.buf, ns, row + w[1], w[2], word)
  end
  for _, c in ipairs(m.code or {}) do
    local group = require("nvim-acp.ui.contrast").dim(c[4])
    local code = { end_col = c[3], hl_group = group, priority = over, strict = false }
    table.insert(mark.words, api.nvim_buf_set_extmark(p.buf, ns, row + c[1], c[2], code))
  end
end

-- Notes in `mark` how lines that come are drawn, and where.
local function prepare(m, mark, at)
  mark.joins, mark.lines = m.joins, {}
  for _, line in ipairs(m.lines) do
    vim.list_extend(mark.lines, virtual(line, at.plain, at.room))
  end
  local row = at.first + m.row
  if m.row > 0 or row == at.count and row > 0 then
    mark.row = row - 1 -- below the line above, so that they are seen at the end of a window, too
  else
    mark.row, mark.above = math.min(row, math.max(at.last - 1, at.first)), #mark.lines
  end
end

-- Draws the lines of a mark and of those after it that join it, as one extmark: Neovim does not keep the order of
-- several at one place. Those that no window is near are held back. Returns the index after them.
local function set_lines(p, marks, index, is_near)
  local head, lines, after = marks[index], {}, index
  repeat
    local mark = marks[after]
    vim.list_extend(lines, mark.lines)
    if after > index then
      api.nvim_buf_del_extmark(p.buf, ns, mark.id or 0)
      viewport.drop(p.buf, mark.held)
      mark.id, mark.held = nil, nil
    end
    after = after + 1
  until not marks[after] or not marks[after].joins

  local there
  if head.held then
    there = viewport.row(p.buf, head.held)
  elseif not head.fresh and head.id then
    there = api.nvim_buf_get_extmark_by_id(p.buf, ns, head.id, {})[1]
  end
  local function show(row)
    head.held = nil
    head.id = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = head.id,
      virt_lines = require("nvim-acp.ui.virtual").lines(lines),
      virt_lines_above = head.above ~= nil,
      virt_lines_overflow = require("nvim-acp.ui.virtual").overflow,
      strict = false,
      priority = priority,
    })
    require("nvim-acp.ui.above").watch(p.buf, row)
  end
  local row, shown = there or head.row, not head.fresh and head.id
  viewport.drop(p.buf, head.held)
  if shown or is_near(row) then
    show(row)
  else
    api.nvim_buf_del_extmark(p.buf, ns, head.id or 0)
    head.id, head.held = nil, viewport.hold(p.buf, row, show)
  end
  return after
end

local function drop_words(p, mark)
  for _, id in ipairs(mark.words or {}) do
    api.nvim_buf_del_extmark(p.buf, ns, id)
  end
end

local function drop(p, marks)
  for _, mark in ipairs(marks) do
    drop_words(p, mark)
    viewport.drop(p.buf, mark.held)
    api.nvim_buf_del_extmark(p.buf, ns, mark.id or 0)
  end
end

--- Removes the diff, also one of which only a part could be drawn.
---@param p acp.Place
function M.drop(p)
  drop(p, p.marks)
  drop(p, p.unfinished or {})
  p.marks, p.unfinished = {}, nil
  if p.above then
    p.above, p.fills = nil, nil -- windows show less of what was there
  end
end

-- Patches the list of marks of a place, which has the rows from first to last.
local function patch(p, f, first, last)
  local at = {
    first = first,
    last = last,
    count = api.nvim_buf_line_count(p.buf),
    plain = require("nvim-acp.ui.style").plain_diff(),
    room = p.room,
  }
  local new = {}
  p.unfinished = new
  for i, m in ipairs(f.marks) do
    local old = i <= f.drop and p.marks[f.from + i] or {}
    drop_words(p, old)
    viewport.drop(p.buf, old.held)
    new[i] = { id = old.id, fresh = true }
    if m.lines then
      prepare(m, new[i], at)
    else
      set_gone(p, m, new[i], at)
    end
  end
  drop(p, vim.list_slice(p.marks, f.from + #f.marks + 1, f.from + f.drop))
  local all = vim.list_slice(p.marks, 1, f.from)
  vim.list_extend(all, new)
  vim.list_extend(all, p.marks, f.from + f.drop + 1)

  local cut = f.drop > 0 and p.marks[f.from + 1].joins -- the lines before have become fewer
  local i, last_new = f.from + (cut and 0 or 1), f.from + #new
  while i > 1 and all[i] and all[i].joins do
    i = i - 1
  end
  i = math.max(i, 1)
  local is_near = viewport.of(p.buf)
  while all[i] and (i <= last_new or all[i].joins) do
    i = all[i].lines and set_lines(p, all, i, is_near) or i + 1
  end
  for _, mark in ipairs(new) do
    mark.fresh = nil
  end
  p.marks, p.unfinished = all, nil
end

--- Draws a part of the diff: a patch to the list of marks.
---@param p acp.Place
---@param f table see editFrame in host/editing.go
function M.diff(p, f)
  if f.reset then
    M.drop(p)
  end
  local first, last = place.rows(p)
  if f.reset or not p.room then
    p.room = require("nvim-acp.ui.rows").room(p.buf)
  end
  if #f.marks > 0 or f.drop > 0 then
    patch(p, f, first, last)
  end
  local above = 0
  for _, mark in ipairs(p.marks) do
    if not mark.above then
      break
    end
    above = above + mark.above
  end
  if above ~= (p.above or 0) then
    p.above = above
    require("nvim-acp.edit.reveal").show(p, first, 1 + above)
  end
end

--- Removes what is drawn of a place.
---@param p acp.Place
function M.clear(p)
  if not api.nvim_buf_is_valid(p.buf) then
    return
  end
  M.drop(p)
  require("nvim-acp.edit.header").clear(p)
end

return M
