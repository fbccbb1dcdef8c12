--- Draws places: a line above them with the state and the keys, and the diff, as virtual lines between the lines.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edits")
local place = require("nvim-acp.edit.place")
local near = require("nvim-acp.edit.near")

-- Below that of the review, whose lines are the agent's already.
local priority = 80

-- Returns a line of the diff, as wide as the screen.
local function virtual(line, plain, columns)
  local chunks, width = {}, 0
  for i, piece in ipairs(line) do
    local text = piece[1]
    if text:find("[%c\128-\255]") then
      text = require("nvim-acp.ui.text").visible(text)
      width = width + api.nvim_strwidth(text)
    else
      width = width + #text
    end
    chunks[i] = { text, plain and piece[2][1] or piece[2] }
  end
  table.insert(chunks, { (" "):rep(math.max(columns - width, 1)), "AcpReviewAdd" })
  return chunks
end

-- Shows what is drawn above a place that begins at the top of a window, `count` lines, as far as the cursor stays
-- there, until the user scrolls. With more than there are Neovim would show none.
local function uncover(p, row, count)
  p.fills = p.fills or {}
  for _, win in ipairs(vim.fn.win_findbuf(p.buf)) do
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      local spare = api.nvim_win_get_height(win) - (vim.fn.winline() - view.topfill) - vim.o.scrolloff
      local fill = math.max(math.min(count, spare), 1)
      if view.topline ~= row + 1 then
        return
      end
      local scrolled = p.fills[win] and view.topfill ~= p.fills[win]
      if view.topfill > count or view.topfill < fill and not scrolled then
        vim.fn.winrestview({ topline = row + 1, topfill = fill })
        p.fills[win] = fill
      end
    end)
  end
end

-- Draws lines that go, and notes that in `mark`, whose id may be that of an old one.
local function set_gone(p, m, mark, at)
  local row = at.first + m.row
  local opts = { id = mark.id, end_row = row + m.gone, hl_group = "AcpReviewDelete", hl_eol = true }
  opts.strict, opts.priority = false, priority + 5
  mark.id, mark.words = api.nvim_buf_set_extmark(p.buf, ns, row, 0, opts), {}
  for i, w in ipairs(m.words or {}) do
    local word = { end_col = w[3], hl_group = "AcpReviewDeleteText", priority = priority + 6, strict = false }
    mark.words[i] = api.nvim_buf_set_extmark(p.buf, ns, row + w[1], w[2], word)
  end
end

-- Notes in `mark` how lines that come are drawn, and where.
local function prepare(m, mark, at)
  mark.joins, mark.lines = m.joins, {}
  for i, line in ipairs(m.lines) do
    mark.lines[i] = virtual(line, at.plain, at.columns)
  end
  local row = at.first + m.row
  if m.row > 0 or row == at.count and row > 0 then
    mark.row = row - 1 -- below the line above, so that they are seen at the end of a window, too
  else
    mark.row, mark.above = math.min(row, math.max(at.last - 1, at.first)), #m.lines
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
      near.drop(p.buf, mark.held)
      mark.id, mark.held = nil, nil
    end
    after = after + 1
  until not marks[after] or not marks[after].joins

  local there
  if not head.fresh and head.held then
    there = near.row(p.buf, head.held)
  elseif not head.fresh and head.id then
    there = api.nvim_buf_get_extmark_by_id(p.buf, ns, head.id, {})[1]
  end
  local function show(row)
    head.held = nil
    head.id = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = head.id,
      virt_lines = lines,
      virt_lines_above = head.above ~= nil,
      strict = false,
      priority = priority + 5,
    })
  end
  local row, shown = there or head.row, not head.fresh and head.id
  near.drop(p.buf, head.held)
  if shown or is_near(row) then
    show(row)
  else
    api.nvim_buf_del_extmark(p.buf, ns, head.id or 0)
    head.id, head.held = nil, near.hold(p.buf, row, show)
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
    near.drop(p.buf, mark.held)
    api.nvim_buf_del_extmark(p.buf, ns, mark.id or 0)
  end
end

--- Removes the diff, also one of which only a part could be drawn.
---@param p acp.Place
function M.drop(p)
  drop(p, p.marks)
  drop(p, p.unfinished or {})
  p.marks, p.unfinished = {}, nil
end

-- Patches the list of marks of a place, which has the rows from first to last.
local function patch(p, f, first, last)
  local at = {
    first = first,
    last = last,
    count = api.nvim_buf_line_count(p.buf),
    plain = require("nvim-acp.ui.style").plain_diff(),
    columns = vim.o.columns,
  }
  local new = {}
  p.unfinished = new
  for i, m in ipairs(f.marks) do
    local old = i <= f.drop and p.marks[f.from + i] or {}
    drop_words(p, old)
    near.drop(p.buf, old.held)
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
  local is_near = near.of(p.buf)
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
    uncover(p, first, 1 + above)
  end
end

local function clock(since)
  local seconds = math.floor((vim.uv.now() - since) / 1000)
  return ("%d:%02d"):format(seconds / 60, seconds % 60)
end

local states = { starting = "starting", waiting = "waits for you: :AcpPermit", cancelling = "stopping" }

-- Returns the spinner of a place. Once lines come it turns with the seconds: Neovim draws the whole window each time.
local function spinner(p)
  local icons = require("nvim-acp.ui.style").icons().spinner
  if #p.marks == 0 then
    return require("nvim-acp.ui.spinner").icon()
  end
  return icons[math.floor((vim.uv.now() - p.since) / 1000) % #icons + 1]
end

-- Returns the state of a place as chunks of virtual text.
local function state(p)
  local icons, f = require("nvim-acp.ui.style").icons(), p.frame
  local title = require("nvim-acp.ui.text").line(p.s.agent_title, 30)
  if p.phase == "working" then
    local icon = p.s.state == "waiting" and icons.ask or spinner(p)
    local word = states[p.s.state]
    return {
      { icon .. " ", p.s.state == "waiting" and "AcpPending" or "AcpRunning" },
      { title, "AcpRunning" },
      { ("  %s%s"):format(word and word .. "  " or "", clock(p.since)), "AcpDone" },
    }
  elseif p.phase == "ready" then
    local counts = {
      { icons.edit .. " ", "AcpKindEdit" },
      { "+" .. f.added, "AcpReviewAdded" },
      { (" %s%d"):format(icons.minus, f.removed), "AcpReviewRemoved" },
    }
    if f.conflicts > 0 then
      table.insert(counts, { ("  %d conflict%s"):format(f.conflicts, f.conflicts > 1 and "s" or ""), "AcpWarning" })
    end
    if f.cut then
      table.insert(counts, { "  the answer is cut off", "AcpWarning" })
    end
    return counts
  end
  local words = p.kind == "ask" and "" or "  " .. (f.words:match("[^\n]*") or "")
  return { { icons.think .. " ", "AcpNotice" }, { title, "AcpNotice" }, { words, "AcpDone" } }
end

-- Returns the keys of a place with what they do, the most important ones first.
local function hints(p)
  local list = {}
  for _, key in ipairs(require("nvim-acp.edit.keys").of(p)) do
    if key.word then
      table.insert(list, { key.lhs, key.word })
    end
  end
  return list
end

-- Returns the cells for text of the narrowest window of a buffer.
local function room(buf)
  local least
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    least = math.min(least or math.huge, info.width - info.textoff)
  end
  return least or vim.o.columns
end

-- Truncates the last chunk so that all fit.
local function fit(chunks, width)
  local over = require("nvim-acp.ui.text").cells(chunks) - width
  while over > 0 and #chunks > 0 do
    local last = chunks[#chunks]
    local cells = api.nvim_strwidth(last[1])
    if cells > over then
      last[1] = require("nvim-acp.ui.text").line(last[1], cells - over)
      return
    end
    table.remove(chunks)
    over = over - cells
  end
end

-- Drops descriptions of keys, then keys, the last first, until the rest fits.
local function fit_keys(list, width)
  local function cells()
    local n = 0
    for _, key in ipairs(list) do
      n = n + 2 + api.nvim_strwidth(key[1]) + (key[2] ~= "" and 1 + api.nvim_strwidth(key[2]) or 0)
    end
    return n
  end
  for i = #list, 2, -1 do
    if cells() > width then
      list[i][2] = ""
    end
  end
  while #list > 1 and cells() > width do
    table.remove(list)
  end
  return list, cells()
end

local function head_of(p)
  local width, here = room(p.buf), require("nvim-acp.edit.keys").active() == p
  local chunks = state(p)
  local own = math.min(require("nvim-acp.ui.text").cells(chunks), math.max(16, width - 40))
  local list, used = fit_keys(hints(p), width - own)
  fit(chunks, math.max(width - used, 10))
  for _, key in ipairs(list) do
    table.insert(chunks, { "  " .. key[1], here and "AcpKey" or "AcpKeyInert" })
    if key[2] ~= "" then
      table.insert(chunks, { " " .. key[2], "AcpKeyInert" })
    end
  end
  return chunks
end

-- Reports whether an extmark begins at a row and, if given, ends at another.
local function stands(p, id, row, last)
  local at = id and api.nvim_buf_get_extmark_by_id(p.buf, ns, id, { details = true }) or {}
  return at[1] == row and at[2] == 0 and (not last or at[3].end_row == last and at[3].end_col == 0)
end

--- Draws the line above a place and its background, unless they are there as they are to be: Neovim would draw anew all
--- lines that the background has.
---@param p acp.Place
function M.head(p)
  if not api.nvim_buf_is_loaded(p.buf) then
    return
  end
  local first, last = place.rows(p)
  local row = math.min(first, api.nvim_buf_line_count(p.buf) - 1)
  last = math.max(last, first)
  if not stands(p, p.tint, row, last) then
    p.tint = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = p.tint,
      end_row = last,
      hl_group = "AcpPlace",
      hl_eol = true,
      priority = priority,
      strict = false,
    })
  end
  local back = p.head_held ~= nil
  near.drop(p.buf, p.head_held)
  p.head_held = nil
  if not near.of(p.buf)(row) then
    p.head_held = near.hold(p.buf, row, function()
      M.head(p)
    end)
    return
  end

  local fresh, chunks = not p.head, head_of(p)
  if not stands(p, p.head, row) or not vim.deep_equal(p.chunks, chunks) then
    p.chunks = chunks
    p.head = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = p.head,
      virt_lines = { chunks },
      virt_lines_above = true,
      right_gravity = false,
      priority = priority,
    })
  end
  if back then
    p.fills = nil -- no window was there
  end
  if fresh or back then
    uncover(p, row, 1 + (p.above or 0))
  end
end

--- Removes what is drawn of a place.
---@param p acp.Place
function M.clear(p)
  if not api.nvim_buf_is_valid(p.buf) then
    return
  end
  M.drop(p)
  near.drop(p.buf, p.head_held)
  for _, id in ipairs({ p.head or 0, p.tint or 0 }) do
    api.nvim_buf_del_extmark(p.buf, ns, id)
  end
  p.head, p.head_held, p.tint = nil, nil, nil
end

-- Draws the spinners of the places that await an answer, and reports whether there is one.
local function spin()
  local working = false
  for _, p in pairs(place.all) do
    if p.phase == "working" then
      working = true
      if #vim.fn.win_findbuf(p.buf) > 0 then
        require("nvim-acp.ui.try").call(M.head, p)
      end
    end
  end
  return working
end

--- Animates the spinner while an answer is pending.
function M.spin()
  require("nvim-acp.ui.spinner").show(spin)
end

return M
