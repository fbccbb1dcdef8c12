--- Gives rows that lines wrap to the background of the line in their indent, which 'breakindent' leaves out.
--- A block of code has it in one cell more: of a margin, or of the sign or fold column, so that no row has less text.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.indent")

-- Marks of lines that do not wrap, by group: they show nothing until the windows are narrower.
local spare = {
  AcpAdd = api.nvim_create_namespace("nvim-acp.indent.add"),
  AcpDelete = api.nvim_create_namespace("nvim-acp.indent.delete"),
  AcpUserLine = api.nvim_create_namespace("nvim-acp.indent.user"),
}

---@type table<string, boolean> whose background it is
M.groups = { AcpCodeSurface = true, AcpAdd = true, AcpDelete = true, AcpUserLine = true }

local nothing = { strict = false }

---@type table<integer, integer> cells of a row of the narrowest window, by buffer; 0: none shows it
local widths = {}

local tabs_after_sign = vim.fn.has("nvim-0.12") == 1 -- rows go on below them, see ui/hang.lua
local padded = { AcpCodeSurface = 1 } -- cells before the text

local function stop_after(buf, cell)
  local stop, step = 0, vim.bo[buf].tabstop
  for tab in vim.bo[buf].vartabstop:gmatch("%d+") do
    step = tonumber(tab)
    stop = stop + step
    if stop > cell then
      return stop
    end
  end
  return cell + step - (cell - stop) % step
end

local function blank_of(text, group, from)
  return text:match((padded[group] or tabs_after_sign) and "^[ \t]*" or "^ *", from + 1)
end

-- Returns how many cells the rows of a line are indented, and whether it wraps; its code begins at a byte, and cell.
local function indent_of(buf, row, group, from)
  local text = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local cells = from
  local blank = blank_of(text, group, from)
  for c in blank:gmatch(".") do
    cells = c == " " and cells + 1 or stop_after(buf, cells)
  end
  local rest = text:sub(from + #blank + 1)
  local tabs = select(2, rest:gsub("\t", ""))
  return cells, cells + api.nvim_strwidth(rest) + 4 * tabs > widths[buf]
end

local function place(buf, row, group, from, id)
  local before = padded[group] or 0
  local cells, wraps = indent_of(buf, row, group, from)
  -- Neovim indents rows by less where they would have too few cells beside it. More would cover their text.
  local most = math.max(widths[buf] - require("nvim-acp.ui.hang").min, 0)
  local count = before + (wraps and math.max(math.min(cells, most) - from, 0) or 0)
  return api.nvim_buf_set_extmark(buf, ns, row, from, {
    id = id,
    virt_text = require("nvim-acp.ui.virtual").text({ { (" "):rep(count), group } }),
    virt_text_win_col = from - before,
    virt_text_repeat_linebreak = true,
    strict = false,
  })
end

local function width(buf)
  return require("nvim-acp.ui.align").width(buf) or 0
end

--- Returns the most cells that a tab takes in a buffer.
---@param buf integer
---@return integer
function M.longest_tab(buf)
  local longest = vim.bo[buf].tabstop
  for tab in vim.bo[buf].vartabstop:gmatch("%d+") do
    longest = math.max(longest, tonumber(tab))
  end
  return longest
end

--- Fills the indent of the rows of a line.
---@param buf integer
---@param row integer from 0
---@param group string
---@param from integer the byte that the code begins at, after as many cells
---@param text string the line
---@param tab integer as longest_tab() has it
function M.set(buf, row, group, from, text, tab)
  widths[buf] = widths[buf] or width(buf)
  if not padded[group] and #blank_of(text, group, from) == 0 then
    return
  end
  local _, tabs = text:gsub("\t", "")
  if spare[group] and #text + tab * tabs <= widths[buf] then -- a character has no more cells than bytes
    api.nvim_buf_set_extmark(buf, spare[group], row, from, nothing)
  else
    place(buf, row, group, from)
  end
end

--- Removes what set() drew.
---@param buf integer
---@param from integer from 0
---@param to integer after the last, -1: the end
function M.clear(buf, from, to)
  api.nvim_buf_clear_namespace(buf, ns, from, to)
  for _, space in pairs(spare) do
    api.nvim_buf_clear_namespace(buf, space, from, to)
  end
end

--- Fits it to the windows that show the buffer now.
---@param buf integer
function M.fit(buf)
  local now = width(buf)
  if widths[buf] == nil or widths[buf] == now then
    return
  end
  widths[buf] = now
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
    local chunk = mark[4].virt_text and mark[4].virt_text[1]
    if chunk then
      place(buf, mark[2], chunk[2], mark[3], mark[1])
    end
  end
  for group, space in pairs(spare) do
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, space, 0, -1, {})) do
      if select(2, indent_of(buf, mark[2], group, mark[3])) then
        api.nvim_buf_del_extmark(buf, space, mark[1])
        place(buf, mark[2], group, mark[3])
      end
    end
  end
end

--- Drops the state of a deleted buffer.
---@param buf integer
function M.forget(buf)
  widths[buf] = nil
end

return M
