--- The rows in which the removed lines of a hunk are shown: its code, dimmer than in the text, with the changed words.
local M = {}

-- Returns a value for each byte, from 0, of a text that spans cover: later ones over earlier ones.
local function spread(text, spans)
  local at = {}
  for _, span in ipairs(spans) do
    for byte = span[1], math.min(span[2], #text) - 1 do
      at[byte] = span[3]
    end
  end
  return at
end

-- Returns a text as it is shown, its tabs as blanks, and the cells up to its end; it begins after some.
local function untabbed(text, cells, tabs)
  local parts = {}
  for piece, tab in text:gmatch("([^\t]*)(\t?)") do
    local part = require("nvim-acp.ui.text").visible(piece)
    local width = vim.api.nvim_strwidth(part)
    local blanks = tab == "" and 0 or tabs - (cells + width) % tabs
    cells = cells + width + blanks
    table.insert(parts, part .. (" "):rep(blanks))
  end
  return table.concat(parts), cells
end

-- Returns the chunks of a removed line, with the colours of its code and its changed words.
---@param text string
---@param words acp.Coloured[]
---@param colours acp.Coloured[]
---@param tabs integer cells of a tab
local function chunks_of(text, words, colours, tabs)
  local code, word = spread(text, colours), spread(text, words)
  local chunks, from, cells = {}, 0, 0
  for at = 1, #text do
    if at == #text or code[at] ~= code[from] or word[at] ~= word[from] then
      local part
      part, cells = untabbed(text:sub(from + 1, at), cells, tabs)
      local groups = { "AcpReviewDelete", code[from] or word[from], code[from] and word[from] }
      table.insert(chunks, { part, groups })
      from = at
    end
  end
  return chunks
end

--- Returns the rows of the removed lines of a hunk.
---@param buf integer
---@param hunk acp.Hunk
---@param room acp.RowRoom? how the windows of the buffer break lines
---@return acp.Chunk[][]
function M.rows(buf, hunk, room)
  local rows, lines = {}, require("nvim-acp.review.syntax").lines(hunk)
  local words = {} ---@type table<integer, acp.Coloured[]>
  for _, w in ipairs(hunk.gone) do
    words[w[1] + 1] = words[w[1] + 1] or {}
    table.insert(words[w[1] + 1], { w[2], w[3], "AcpReviewDeleteText" })
  end
  local colours = require("nvim-acp.review.syntax").of(buf, hunk, lines)
  for i, text in ipairs(lines) do
    local chunks = chunks_of(text, words[i] or {}, colours[i] or {}, vim.bo[buf].tabstop)
    if #text < #hunk.removed[i] then
      table.insert(chunks, { (" … %d more bytes"):format(#hunk.removed[i] - #text), "AcpReviewDelete" })
    end
    vim.list_extend(rows, require("nvim-acp.ui.rows").of(chunks, "AcpReviewDelete", room))
  end
  if hunk.more > 0 then
    local more = require("nvim-acp.ui.text").count(hunk.more, "more removed line")
    table.insert(rows, { { "  " .. more, "AcpReviewDelete" } })
  end
  return rows
end

return M
