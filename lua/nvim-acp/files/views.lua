--- Cursors, views and marks of a buffer, preserved over an edit by its hunks.
local M = {}

local api = vim.api

-- The most extmarks that are restored when their line is removed and restored; a plugin with more redraws them itself.
local max_marks = 1000

--- Returns the row of the new text for a row of the old one, and whether it has the same text.
---@param buf integer
---@param row integer
---@param text string the old line
---@param direct { first: integer, last: integer, count: integer }[] from the text then to the text now
---@return integer row
---@return boolean same
function M.moved(buf, row, text, direct)
  local shift = 0
  for _, h in ipairs(direct) do
    if row < h.first then
      break
    elseif row < h.last then
      local start = h.first + shift
      for i, line in ipairs(api.nvim_buf_get_lines(buf, start, start + math.min(h.count, 2000), false)) do
        if line == text then
          return start + i - 1, true
        end
      end
      return start + math.max(math.min(row - h.first, h.count - 1), 0), false
    end
    shift = shift + h.count - (h.last - h.first)
  end
  return row + shift, true
end

local function line(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function windows(buf)
  local kept = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    table.insert(kept, {
      win = win,
      view = view,
      text = line(buf, view.lnum - 1),
      top = line(buf, view.topline - 1),
    })
  end
  return kept
end

-- Returns the marks on lines that hunks remove.
local function marks(buf, hunks)
  local letters, ext = {}, {}
  local all = vim.fn.getmarklist(buf)
  for _, h in ipairs(hunks) do
    for _, m in ipairs(all) do
      local row = m.pos[2] - 1
      if row >= h.first and row < h.last and m.mark:match("^'%a$") then
        table.insert(letters, { name = m.mark:sub(2), row = row, col = m.pos[3] - 1, text = line(buf, row) })
      end
    end
    if h.last > h.first and #ext < max_marks then
      local found = api.nvim_buf_get_extmarks(
        buf,
        -1,
        { h.first, 0 },
        { h.last - 1, -1 },
        { details = true, limit = max_marks - #ext }
      )
      for _, m in ipairs(found) do
        table.insert(ext, { id = m[1], row = m[2], col = m[3], details = m[4], text = line(buf, m[2]) })
      end
    end
  end
  return letters, ext
end

--- Saves the positions in a buffer.
---@param buf integer
---@param hunks table[] lines that are removed and may be restored
---@return table
function M.keep(buf, hunks)
  local letters, ext = marks(buf, hunks)
  return { windows = windows(buf), letters = letters, ext = ext }
end

local function restore_marks(buf, kept, direct)
  for _, m in ipairs(kept.letters) do
    local row, same = M.moved(buf, m.row, m.text, direct)
    if same then
      pcall(api.nvim_buf_set_mark, buf, m.name, row + 1, m.col, {})
    end
  end
  for _, m in ipairs(kept.ext) do
    local row, same = M.moved(buf, m.row, m.text, direct)
    local details = m.details
    if same and not details.invalid then
      local ns = details.ns_id
      details.ns_id, details.id, details.invalid, details.strict = nil, m.id, nil, false
      if details.end_row then
        details.end_row = details.end_row + row - m.row
      end
      -- a mark of a kind that cannot be set stays where it is
      pcall(api.nvim_buf_set_extmark, buf, ns, row, m.col, details)
    end
  end
end

--- Restores saved positions in the new text.
---@param buf integer
---@param kept table what keep returned
---@param direct { first: integer, last: integer, count: integer }[] from the text then to the text now
function M.restore(buf, kept, direct)
  restore_marks(buf, kept, direct)
  for _, k in ipairs(kept.windows) do
    local view, now = k.view, api.nvim_win_call(k.win, vim.fn.winsaveview)
    view.lnum = M.moved(buf, view.lnum - 1, k.text, direct) + 1
    view.topline = M.moved(buf, view.topline - 1, k.top, direct) + 1
    view.col = math.min(view.col, #line(buf, view.lnum - 1))
    if view.lnum ~= now.lnum or view.col ~= now.col or view.topline ~= now.topline then
      api.nvim_win_call(k.win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

return M
