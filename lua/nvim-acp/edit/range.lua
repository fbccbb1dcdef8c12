--- The lines at the cursor that are meant where none are named.
local M = {}

-- Returns the lines of the paragraph at the cursor; between paragraphs, the empty lines.
local function paragraph()
  local at, last = vim.fn.line("."), vim.fn.line("$")
  local function blank(line)
    return vim.fn.getline(line):match("^%s*$") ~= nil
  end
  local kind = blank(at)
  local from, to = at, at
  while from > 1 and blank(from - 1) == kind do
    from = from - 1
  end
  while to < last and blank(to + 1) == kind do
    to = to + 1
  end
  return kind and { at, at } or { from, to }
end

--- Returns the function at the cursor, by tree-sitter, else the paragraph.
---@return { [1]: integer, [2]: integer } 1-based
function M.at_cursor()
  return require("nvim-acp.prompt.context").function_range() or paragraph()
end

return M
