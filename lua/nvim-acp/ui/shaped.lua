--- Arabic letters as Neovim draws them, joined with their neighbours ('arabicshape'), and as they are in the text.
local M = {}

-- The first form of letters, each with how many forms it has from there on, and the letters themselves.
---@type [integer, integer, integer[]][]
local runs = {
  { 0xfb56, 4, { 0x67e } },
  { 0xfb66, 4, { 0x679 } },
  { 0xfb7a, 4, { 0x686 } },
  { 0xfb88, 2, { 0x688, 0x698, 0x691 } },
  { 0xfb8e, 4, { 0x6a9, 0x6af } },
  { 0xfb9e, 2, { 0x6ba } },
  { 0xfba6, 4, { 0x6c1, 0x6be } },
  { 0xfbae, 2, { 0x6d2, 0x6d3 } },
  { 0xfbfc, 4, { 0x6cc } },
  { 0xfe80, 1, { 0x621 } },
  { 0xfe81, 2, { 0x622, 0x623, 0x624, 0x625 } },
  { 0xfe89, 4, { 0x626 } },
  { 0xfe8d, 2, { 0x627 } },
  { 0xfe8f, 4, { 0x628 } },
  { 0xfe93, 2, { 0x629 } },
  { 0xfe95, 4, { 0x62a, 0x62b, 0x62c, 0x62d, 0x62e } },
  { 0xfea9, 2, { 0x62f, 0x630, 0x631, 0x632 } },
  { 0xfeb1, 4, { 0x633, 0x634, 0x635, 0x636, 0x637, 0x638, 0x639, 0x63a } },
  { 0xfed1, 4, { 0x641, 0x642, 0x643, 0x644, 0x645, 0x646, 0x647 } },
  { 0xfeed, 2, { 0x648, 0x649 } },
  { 0xfef1, 4, { 0x64a } },
}
local lam, alefs = 0x644, { 0x622, 0x623, 0x625, 0x627 } -- two letters in one cell, of two forms

---@type table<string, string>?
local letters

local function read()
  local of, char = {}, vim.fn.nr2char
  for _, run in ipairs(runs) do
    local first, forms = run[1], run[2]
    for i, letter in ipairs(run[3]) do
      for form = 0, forms - 1 do
        of[char(first + (i - 1) * forms + form)] = char(letter)
      end
    end
  end
  for i, alef in ipairs(alefs) do
    for form = 0, 1 do
      of[char(0xfef5 + (i - 1) * 2 + form)] = char(lam) .. char(alef)
    end
  end
  return of
end

--- Returns a text of the screen with its letters as they are in the text that is drawn.
---@param text string
---@return string
function M.letters(text)
  if not text:find("\239[\172-\187]") then
    return text
  end
  letters = letters or read()
  return (text:gsub("\239[\172-\187][\128-\191]", letters))
end

return M
