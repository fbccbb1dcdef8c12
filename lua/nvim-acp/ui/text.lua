--- Text of others made safe to show.
local M = {}

-- Bytes of characters that are not seen, or that change the direction.
local hiding = { "\226\128[\139-\143\168-\174]", "\226\129[\160-\175]", "\239\187\191", "\194\173", "\216\156" }

--- Text that did not come through the program, with nothing in it that is not seen: controls as ^X, others as <202E>.
---@param text string
---@return string
function M.visible(text)
  local line = text:gsub("%c", function(c)
    return "^" .. string.char((c:byte() + 64) % 128)
  end)

  for _, pattern in ipairs(hiding) do
    line = line:gsub(pattern, function(c)
      return ("<%04X>"):format(vim.fn.char2nr(c))
    end)
  end
  return line
end

--- Makes text safe for one line of the screen: the first line, no control characters, at most width cells.
---@param text string
---@param width integer
---@return string
function M.line(text, width)
  local first = M.visible(text:match("[^\r\n]*"))
  if vim.api.nvim_strwidth(first) <= width then
    return first
  end

  local cut = vim.fn.strcharpart(first, 0, math.max(width - 1, 1))
  while cut ~= "" and vim.api.nvim_strwidth(cut) > width - 1 do -- some characters are two cells wide
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. require("nvim-acp.ui.style").icons().cut
end

--- Text for 'winbar', 'statusline' and 'tabline', where `%{…}` is evaluated: every `%` is doubled.
---@param text string
---@return string
function M.escape(text)
  return (text:gsub("%%", "%%%%"))
end

return M
