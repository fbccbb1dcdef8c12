--- Keeps names such as parser.go, @cart.go and :AcpUndo in one row, where they fit into the next: 'linebreak' breaks at
--- the characters of 'breakat', which is for all windows. The rest of the row is filled with cells that are no text.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.unsplit")
local lines_ns = api.nvim_create_namespace("nvim-acp.unsplit.lines") -- lines with such names

local most = 300 -- lines, from the end, that are done again when the width changes
local names = 200 -- that are looked at for one operation: each takes some microseconds
local deep = 16 -- cells that rows after the first are indented by at most, as a rule

---@type table<integer, integer> cells of a row that names were kept together for, by buffer
local widths = {}

-- A word that 'linebreak' breaks: one of its characters within it.
local within = "[%^!@%*%-%+;:,%./%?][%w_]"

-- Returns the row, from 0, of a byte of a line in a window, and the cell in it.
local function place(win, width, line, byte)
  local cell = vim.fn.virtcol({ line, byte }, true, win)[1] - 1
  return math.floor(cell / width), cell % width
end

-- Keeps the names in a line together. Returns how many were looked at.
local function keep(buf, win, width, row, text)
  local count = 0
  if #text <= width or #text > 2000 then
    return count
  end
  for from, word in text:gmatch("()(%S+)") do
    local cells = word:find(within) and api.nvim_strwidth(word)
    if cells and cells <= width / 2 then
      count = count + 1
      local last, behind = place(win, width, row + 1, from + #word - 1)
      local first, cell = last, 0
      if last > 0 and behind < cells + deep then
        first, cell = place(win, width, row + 1, from)
      end
      if last > first then
        local virtual = require("nvim-acp.ui.virtual")
        local opts = { virt_text = virtual.text({ { (" "):rep(width - cell) } }), virt_text_pos = "inline" }
        api.nvim_buf_set_extmark(buf, ns, row, from - 1, opts)
      end
    end
  end
  return count
end

--- Keeps the names in lines together.
---@param buf integer
---@param first integer from 0
---@param last integer after the last
---@param skip table<integer, boolean> lines, from 0, that are no prose
function M.set(buf, first, last, skip)
  local win, width = require("nvim-acp.ui.align").narrowest(buf)
  widths[buf] = widths[buf] or width
  local count = 0
  for i, text in ipairs(api.nvim_buf_get_lines(buf, first, last, false)) do
    local row = first + i - 1
    if not skip[row] and #text > 20 and text:find(within) then
      api.nvim_buf_set_extmark(buf, lines_ns, row, 0, {})
      if win and count < names then
        count = count + keep(buf, win, width, row, text)
      end
    end
  end
end

--- Removes what set() has put into lines.
---@param buf integer
---@param from integer from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  api.nvim_buf_clear_namespace(buf, ns, from, to)
  api.nvim_buf_clear_namespace(buf, lines_ns, from, to)
end

--- Fits it to the windows that show the buffer now.
---@param buf integer
function M.fit(buf)
  local win, width = require("nvim-acp.ui.align").narrowest(buf)
  if not win or widths[buf] == width then
    return
  end
  widths[buf] = width
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, lines_ns, -1, 0, { limit = most })) do
    keep(buf, win, width, mark[2], api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, false)[1] or "")
  end
end

--- Drops the state of a deleted buffer.
---@param buf integer
function M.forget(buf)
  widths[buf] = nil
end

return M
