--- The one door to virtual text, which extmarks draw: in it, characters that hide or reorder others are visible, as in
--- all text of others. Neovim itself shows control characters as ^X.
local M = {}

---@alias acp.Chunk { [1]: string, [2]: string|string[]? }

--- How virtual lines of code go beyond a window without 'wrap': they scroll with its text. Neovim 0.10 cuts them off.
M.overflow = vim.fn.has("nvim-0.11") == 1 and "scroll" or nil

---@type table<string, string> what was cleaned, by its text: the same few icons come again and again
local known = {}
local count = 0

local function clean(text)
  if not text:find("[%c\128-\255]") then
    return text
  end
  local shown = known[text]
  if not shown then
    shown = require("nvim-acp.ui.text").visible(text)
    if count >= 500 then
      known, count = {}, 0
    end
    known[text], count = shown, count + 1
  end
  return shown
end

--- Returns the chunks of a line, cleaned: the same list where nothing was to be cleaned.
---@param chunks acp.Chunk[]
---@return acp.Chunk[]
function M.text(chunks)
  local out = chunks
  for i, chunk in ipairs(chunks) do
    local text = clean(chunk[1])
    if text ~= chunk[1] then
      out = out == chunks and vim.list_slice(chunks) or out
      out[i] = { text, chunk[2] }
    end
  end
  return out
end

--- Returns lines of chunks, cleaned.
---@param lines acp.Chunk[][]?
---@return acp.Chunk[][]?
function M.lines(lines)
  return lines and vim.tbl_map(M.text, lines)
end

return M
