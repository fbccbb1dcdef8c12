--- Makes text of others safe to show.
local M = {}

-- Returns a character that is not ASCII as it is shown: as <202E> if it is invisible or changes the direction. A
-- variation selector is shown that way unless it follows a symbol.
local function seen(char, before)
  local code = vim.fn.char2nr(char)
  local selects = code == 0xfe0e or code == 0xfe0f
  if selects and (before:match("^[%z\1-\127]?$") or before == "\239\184\142" or before == "\239\184\143") then
    return ("<%04X>"):format(code)
  end
  for _, range in ipairs(require("nvim-acp.ui.hidden")) do
    if code >= range[1] and code <= range[2] then
      return ("<%04X>"):format(code)
    end
  end
  return char
end

--- Returns text that did not come through the host with everything made visible: controls as ^X, others as <202E>.
---@param text string
---@return string
function M.visible(text)
  local line = text:gsub("%c", function(c)
    return "^" .. string.char((c:byte() + 64) % 128)
  end)
  local before = ""
  if not line:find("[\128-\255]") then
    return line
  end
  return (
    line:gsub("[%z\1-\127\194-\255][\128-\191]*", function(char)
      local shown = #char > 1 and seen(char, before) or char
      before = char
      return shown
    end)
  )
end

-- Returns the first line of a text, up to the longest that a screen could show.
local function head(text, width)
  local first = text:match("[^\r\n]*")
  local most = math.max(width, 1) * 16
  return #first > most and first:sub(1, most):gsub("[\192-\255][\128-\191]*$", "") or first
end

--- Makes text safe for one line of the screen: the first line, no control characters, at most width cells.
---@param text string
---@param width integer
---@return string
function M.line(text, width)
  local first = M.visible(head(text, width))
  if vim.api.nvim_strwidth(first) <= width then
    return first
  end

  local cut = vim.fn.strcharpart(first, 0, math.max(width - 1, 1))
  while cut ~= "" and vim.api.nvim_strwidth(cut) > width - 1 do -- some characters are two cells wide
    cut = vim.fn.strcharpart(cut, 0, vim.fn.strchars(cut) - 1)
  end
  return cut .. require("nvim-acp.ui.style").icons().cut
end

--- Returns the end of an ASCII text: at most width cells.
---@param text string
---@param width integer
---@return string
function M.tail(text, width)
  if #text <= width then
    return text
  end
  return require("nvim-acp.ui.style").icons().cut .. text:sub(-math.max(width - 1, 1))
end

--- Returns a number with its word: "1 file", "2 files".
---@param n integer
---@param word string
---@return string
function M.count(n, word)
  return ("%d %s%s"):format(n, word, n == 1 and "" or "s")
end

--- Returns a text as [M.line], with blanks behind it for the columns of a list to be below each other.
---@param text string
---@param width integer
---@return string
function M.column(text, width)
  text = M.line(text, width)
  return text .. (" "):rep(width - vim.api.nvim_strwidth(text))
end

--- Returns how many lines were added and removed: "+2 −1".
---@param added integer
---@param removed integer
---@return string
function M.counts(added, removed)
  return ("+%d %s%d"):format(added, require("nvim-acp.ui.style").icons().minus, removed)
end

--- Returns a text of the host that begins with such counts, with the sign that is shown.
---@param text string
---@return string
function M.signed(text)
  return (text:gsub("^(%+%d+ )%-", "%1" .. require("nvim-acp.ui.style").icons().minus, 1))
end

-- Splits a word before the first character that has no room.
local function split(word, width)
  local low, high = 1, vim.fn.strchars(word)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if vim.api.nvim_strwidth(vim.fn.strcharpart(word, 0, middle)) <= width then
      low = middle
    else
      high = middle - 1
    end
  end
  return vim.fn.strcharpart(word, 0, low), vim.fn.strcharpart(word, low)
end

--- Returns a text in lines of at most width cells, broken at spaces, and a longer word anywhere.
---@param text string without line breaks
---@param width integer
---@return string[] at least one
function M.wrap(text, width)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if line ~= "" and vim.api.nvim_strwidth(line .. " " .. word) > width then
      table.insert(lines, line)
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
    while vim.api.nvim_strwidth(line) > width and vim.fn.strchars(line) > 1 do
      local part, rest = split(line, width)
      table.insert(lines, part)
      line = rest
    end
  end
  table.insert(lines, line)
  return lines
end

--- Returns how many cells virtual text takes.
---@param chunks table[]
---@return integer
function M.cells(chunks)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + vim.api.nvim_strwidth(chunk[1])
  end
  return width
end

return M
