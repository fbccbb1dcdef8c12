--- Wraps lines at spaces, and only there: 'breakat' of 'linebreak', which is for all windows, has "-", "/" and others
--- too, at which nobody expects a command to be broken. The lines stay whole, and are copied whole.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.wrap")

-- Returns where cells are to be left empty, by the byte, for words to begin in the next row. A word that is longer than
-- a row is broken where the row ends, and so is a line with tabs: how wide they are depends on where they are.
local function gaps(line, width, hang)
  hang = hang + #line:match("^ *")
  local whole = math.max(width - hang, 1) -- cells of rows after the first
  local found, used, room = {}, 0, width -- used: cells of the row
  if line:find("\t") then
    return found
  end
  for from, word, spaces in line:gmatch("()(%S*)(%s*)") do
    local needs = api.nvim_strwidth(word) + math.min(#spaces, 1) -- else the space would begin a row
    if needs > room - used and needs <= whole then
      table.insert(found, { byte = from - 1, cells = room - used })
      used, room = 0, whole
    end
    used = used + api.nvim_strwidth(word) + #spaces
    while used > room do
      used, room = used - room, whole
    end
  end
  return found
end

--- Takes back what at_spaces() did to a buffer.
---@param buf integer
function M.clear(buf)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

--- Wraps the lines of a buffer for a window of a width, in cells, the rows after a line's first being indented by hang
--- cells more than the line. The window needs 'wrap', 'breakindent' and no 'linebreak'.
---@param buf integer
---@param width integer
---@param hang integer|fun(line: string): integer
function M.at_spaces(buf, width, hang)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    for _, gap in ipairs(gaps(line, width, type(hang) == "function" and hang(line) or hang)) do
      local opts =
        { virt_text = require("nvim-acp.ui.virtual").text({ { (" "):rep(gap.cells) } }), virt_text_pos = "inline" }
      api.nvim_buf_set_extmark(buf, ns, row - 1, gap.byte, opts)
    end
  end
end

return M
