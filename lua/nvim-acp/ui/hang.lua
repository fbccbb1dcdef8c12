--- Hanging indents: what wraps continues below its own text.
local M = {}

-- Matches as many bytes as the next rows are indented. Before 0.12 Neovim counts bytes, not cells, so there the match
-- leaves out two for a mark of three: it begins after the first space, or at the space after the mark.
local pattern = vim.fn.has("nvim-0.12") == 1 and [[^\s*\%(> \)*\%(\%(\d\+[.)]\|[•✓○*+-]\) \+\)\=]]
  or [[^ \zs\s*[•✓○] *\ze \|^[•✓○]\zs \+[!-~]\|^\s*\%(> \)*\%(\%(\d\+[.)]\|[*+-]\) \+\)\=]]

--- Sets the option of a buffer that hanging indents need.
---@param buf integer
function M.buffer(buf)
  vim.bo[buf].formatlistpat = pattern
end

--- The options of a window that shows such a buffer. Neovim's own minimum of 20 cells beside an indent would leave a
--- narrow chat without any.
M.window = { breakindent = true, breakindentopt = "list:-1,min:10" }

return M
