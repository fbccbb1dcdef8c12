--- Hanging indents: what wraps continues below its own text.
local M = {}

-- Matches as many bytes as the next rows are indented. Before 0.12 Neovim counts bytes, not cells, so there the match
-- leaves out two for a mark of three: it begins after the first space, or at the space after the mark. A line without a
-- mark is not matched there, since a tab would be one cell.
local pattern = vim.fn.has("nvim-0.12") == 1 and [[^\s*\%(> \)*\%(\%(\d\+[.)]\|[•✓○*+-]\) \s*\)\=]]
  or [[^ \zs *[•✓○] *\ze \|^[•✓○]\zs \+[!-~]\|^ *\%(> \)*\%(\d\+[.)]\|[*+-]\) \+\|^ *\%(> \)\+]]

-- So it does for the lines of a form, whose choices have a number, or a space, and a mark.
local of_form = vim.fn.has("nvim-0.12") == 1 and [[^ *\%([0-9 ] [●○*-] \)\=]]
  or [[^  \zs *[0-9 ] [●○] \|^ *\%([0-9 ] [*-] \)\=]]

--- Sets the option of a buffer that hanging indents need.
---@param buf integer
function M.buffer(buf)
  vim.bo[buf].formatlistpat = pattern
end

--- Sets it for the lines of a form.
---@param buf integer
function M.form(buf)
  vim.bo[buf].formatlistpat = of_form
end

--- Returns the cells by which the rows after the first of a form's line are indented more than that.
---@param line string
---@return integer
function M.beyond(line)
  return vim.fn.strchars(line:match("^ *([0-9 ] [●○*-]+ )") or "")
end

--- The fewest cells beside an indent: with Neovim's own 20 a narrow chat would have none.
M.min = 10

--- The options of a window that shows such a buffer.
M.window = { breakindent = true, breakindentopt = "list:-1,min:" .. M.min }

return M
