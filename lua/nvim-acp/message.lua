--- One way to say something to the user: a line of vim.notify, short enough never to ask for a key.
local M = {}

--- Makes text safe for one line of the screen: the first line, no control characters, at most width cells.
---@param text string
---@param width integer
---@return string
function M.line(text, width)
  local first = text:match("[^\r\n]*"):gsub("%c", function(c)
    return "^" .. string.char((c:byte() + 64) % 128)
  end)
  if vim.fn.strdisplaywidth(first) <= width then
    return first
  end
  local cut = vim.fn.strcharpart(first, 0, math.max(width - 1, 1))
  while cut ~= "" and vim.fn.strdisplaywidth(cut) > width - 1 do -- some characters are two cells wide
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. require("nvim-acp.look").icons().cut
end

---@param text string
---@param level integer vim.log.levels
function M.say(text, level)
  vim.schedule(function()
    vim.notify(M.line("nvim-acp: " .. text, math.max(vim.o.columns - 12, 20)), level, { title = "nvim-acp" })
  end)
end

---@param text string
function M.info(text)
  M.say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

return M
