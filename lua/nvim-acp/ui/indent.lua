--- Fills the indent of the rows that lines of code wrap to, which 'breakindent' leaves without a background.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.indent")

---@type table<integer, integer> how many cells are filled at most, by buffer
local most = {}

-- Neovim indents rows by less where they would have too few cells beside it. More would cover their text.
local function limit(buf)
  local width = require("nvim-acp.ui.align").width(buf)
  return width and math.max(width - require("nvim-acp.ui.hang").min, 0) or 0
end

local function cells(buf, row)
  local text = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local indent, tab = 0, vim.bo[buf].tabstop
  for c in text:match("^[ \t]*"):gmatch(".") do
    indent = c == " " and indent + 1 or indent + tab - indent % tab
  end
  return #text > 30 and indent or 0 -- shorter ones do not wrap
end

local function place(buf, row, group, id)
  local count = math.min(cells(buf, row), most[buf])
  return api.nvim_buf_set_extmark(buf, ns, row, 0, {
    id = id,
    virt_text = require("nvim-acp.ui.virtual").text({ { (" "):rep(count), group } }),
    virt_text_win_col = 0,
    virt_text_repeat_linebreak = true,
    strict = false,
  })
end

--- Fills the indent of the rows of a line.
---@param buf integer
---@param row integer from 0
---@param group string
function M.set(buf, row, group)
  most[buf] = most[buf] or limit(buf)
  if cells(buf, row) > 0 then
    place(buf, row, group)
  end
end

--- Removes what set() drew.
---@param buf integer
---@param from integer from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  api.nvim_buf_clear_namespace(buf, ns, from, to)
end

--- Fits it to the windows that show the buffer now.
---@param buf integer
function M.fit(buf)
  local now = limit(buf)
  if most[buf] == nil or most[buf] == now then
    return
  end
  most[buf] = now
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
    local chunk = mark[4].virt_text and mark[4].virt_text[1]
    if chunk then
      place(buf, mark[2], chunk[2], mark[1])
    end
  end
end

--- Drops the state of a deleted buffer.
---@param buf integer
function M.forget(buf)
  most[buf] = nil
end

return M
