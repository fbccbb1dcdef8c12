--- The extmarks of a hunk: a sign and a colour for its added lines, virtual lines for the removed ones.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.hunks")

-- Above Neovim's syntax, below tree-sitter: code on an added line keeps its colours where those are set by a parser.
local priority = 90

local function sign(hunk)
  local icons = require("nvim-acp.ui.style").icons()
  if hunk.unknown then
    return "?", "AcpReviewChanged"
  elseif hunk.added == 0 then
    return icons.removed, "AcpReviewRemoved"
  end
  return icons.added, #hunk.removed > 0 and "AcpReviewChanged" or "AcpReviewAdded"
end

local most = 200 -- lines of a hunk with a mark each; a larger one has one for all, and a sign at its first line

-- Sets the first mark of a hunk, with its removed lines, or draws it anew where it is.
local function head(buf, hunk, room)
  local text, group = sign(hunk)
  local row = math.min(hunk.row, api.nvim_buf_line_count(buf) - 1)
  local opts = { id = hunk.marks[1], priority = 12, sign_text = text, sign_hl_group = group }
  hunk.rows = 0
  if #hunk.removed > 0 then
    opts.virt_lines = require("nvim-acp.ui.virtual").lines(require("nvim-acp.review.removed").rows(buf, hunk, room))
    opts.virt_lines_above = not hunk.ends
    opts.virt_lines_overflow = require("nvim-acp.ui.virtual").overflow
    hunk.rows = #opts.virt_lines
  end
  hunk.marks[1] = api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
  if hunk.rows > 0 then
    require("nvim-acp.ui.above").watch(buf, row)
  end
end

--- Marks a hunk.
---@param buf integer
---@param hunk acp.Hunk
---@param room acp.RowRoom? how the windows of the buffer break lines
---@param bare boolean? nothing is shown, the mark only follows the text
function M.set(buf, hunk, room, bare)
  local text, group = sign(hunk)
  local count = api.nvim_buf_line_count(buf)
  local row = math.min(hunk.row, count - 1)
  hunk.marks, hunk.ends = {}, hunk.row >= count
  if bare then
    hunk.marks[1] = api.nvim_buf_set_extmark(buf, ns, row, 0, {})
    return
  end
  local function mark(at, opts, col)
    opts.strict = false
    table.insert(hunk.marks, api.nvim_buf_set_extmark(buf, ns, at, col or 0, opts))
  end

  head(buf, hunk, room)
  if hunk.added > most then
    local rows = math.min(hunk.added, count - row)
    mark(row, { end_row = row + rows, hl_group = "AcpReviewAdd", hl_eol = true, priority = priority })
  end
  for i = 0, hunk.added <= most and hunk.added - 1 or -1 do
    if i > 0 then
      mark(row + i, { priority = 12, sign_text = text, sign_hl_group = group })
    end
    mark(row + i, { end_row = row + i + 1, hl_group = "AcpReviewAdd", hl_eol = true, priority = priority })
  end
  for _, w in ipairs(hunk.words) do
    mark(row + w[1], { end_col = w[3], hl_group = "AcpReviewAddText", priority = priority + 1 }, w[2])
  end
end

--- Removes the marks of a hunk.
---@param buf integer
---@param hunk acp.Hunk
function M.clear(buf, hunk)
  for _, id in ipairs(hunk.marks) do
    api.nvim_buf_del_extmark(buf, ns, id)
  end
end

--- Removes the marks of all hunks.
---@param buf integer
function M.clear_all(buf)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

--- Returns the row of a marked hunk now, nil if its mark is gone.
---@param buf integer
---@param hunk acp.Hunk
---@return integer?
function M.row(buf, hunk)
  return api.nvim_buf_get_extmark_by_id(buf, ns, hunk.marks[1], {})[1]
end

--- Notes the row that a marked hunk has by now, and reports whether its mark is still there.
---@param buf integer
---@param hunk acp.Hunk
---@return boolean
function M.follow(buf, hunk)
  local row = M.row(buf, hunk)
  hunk.row = row and (hunk.ends and row + 1 or row) or hunk.row
  return row ~= nil
end

--- Draws the removed lines of a marked hunk anew.
---@param buf integer
---@param hunk acp.Hunk
---@param room acp.RowRoom?
function M.redraw(buf, hunk, room)
  if #hunk.removed > 0 and M.follow(buf, hunk) then
    head(buf, hunk, room)
  end
end

return M
