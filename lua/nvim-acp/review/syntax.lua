--- The colours of code that is no longer in its buffer, from the parser that colours the buffer.
local M = {}

local most = 16 * 1024 -- bytes of code that are parsed: a few milliseconds

---@type table<string, boolean> captures that are no colours
local others = { spell = true, nospell = true, conceal = true }

-- Adds what a node covers to the lines that it is on.
local function add(found, lines, group, from, col, to, stop)
  for row = from, to do
    local line = lines[row + 1]
    if line then
      found[row + 1] = found[row + 1] or {}
      local first, last = row == from and col or 0, row == to and stop or #line
      table.insert(found[row + 1], { first, math.min(last, #line), group })
    end
  end
end

--- Returns the colours of lines as if they were in a buffer, dimmer than there: for each line from and to byte, from 0,
--- and group, later ones over earlier ones. It is empty where no parser colours the buffer.
---@param buf integer
---@param lines string[]
---@return table<integer, { [1]: integer, [2]: integer, [3]: string }[]>
function M.of(buf, lines)
  local text, found = table.concat(lines, "\n"), {}
  local active = vim.treesitter.highlighter.active[buf]
  if not active or #text > most then
    return found
  end
  pcall(function() -- a parser or a query may be missing, or broken
    local lang = active.tree:lang()
    local query = vim.treesitter.query.get(lang, "highlights")
    local tree = vim.treesitter.get_string_parser(text, lang):parse()[1]
    for id, node in query:iter_captures(tree:root(), text) do
      local name = query.captures[id]
      if not others[name] and name:sub(1, 1) ~= "_" then
        add(found, lines, require("nvim-acp.ui.contrast").dim(("@%s.%s"):format(name, lang)), node:range())
      end
    end
  end)
  return found
end

return M
