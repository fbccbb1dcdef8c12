--- How mentions are written: @path, @"a path", @path:3-9, and names such as @diff.
local M = {}

---@class acp.Mention
---@field from integer column of the @, from 0
---@field to integer column after it
---@field name string without @ and quotes, with lines
---@field path string name without lines
---@field first integer? 1-based
---@field last integer?

-- The most bytes of a line that are parsed.
local most = 4096

local function lines_of(word)
  local path, first, last = word:match("^(.+):(%d+)%-(%d+)$")
  if not path then
    path, first = word:match("^(.+):(%d+)$")
  end
  if not path then
    return word
  end
  return path, tonumber(first), tonumber(last or first)
end

-- Returns the quoted name that begins at a byte of a line, and the byte after it. A backslash escapes a quote or a
-- backslash.
local function unquote(line, at)
  local name, stop = line:match('^"([^"\\]+)"()', at)
  if name then
    return name, stop
  end
  local body, rest = "", line:match('^"()', at)
  while rest do
    local plain, escaped
    plain, rest = line:match('^([^"\\]*)()', rest)
    body = body .. plain
    escaped = line:match('^\\(["\\])', rest)
    if escaped then
      body, rest = body .. escaped, rest + 2
    elseif line:sub(rest, rest) == "\\" then
      body, rest = body .. "\\", rest + 1
    else
      return line:sub(rest, rest) == '"' and body ~= "" and body or nil, rest + 1
    end
  end
end

-- Returns the mention whose @ is at a byte (1-based) of a line.
local function read(line, at)
  local quoted, stop = unquote(line, at + 1)
  if quoted then
    local lines = line:match("^:%d+%-?%d*", stop) or ""
    lines = lines:gsub("%-$", "")
    return quoted .. lines, stop + #lines
  end
  local word = line:match('^[^%s"]+', at + 1)
  if word then
    word = word:gsub("[%.,;:!%?%)%]}'`>]+$", "")
    return word, at + 1 + #word
  end
end

---@param line string
---@return acp.Mention[]
function M.scan(line)
  local found, init = {}, 1
  line = line:sub(1, most)
  while true do
    local at = line:find("@", init, true)
    if not at then
      return found
    end
    init = at + 1
    local free = at == 1 or line:sub(at - 1, at - 1):match("[%s%(%[{\"'`<]")
    local name, stop = read(line, at)
    if free and name and name ~= "" then
      local path, first, last = lines_of(name)
      table.insert(found, { from = at - 1, to = stop - 1, name = name, path = path, first = first, last = last })
      init = stop
    end
  end
end

--- Returns a name as it is written in a prompt.
---@param name string
---@param first integer?
---@param last integer?
---@return string
function M.write(name, first, last)
  local lines = first and (last and last ~= first and (":%d-%d"):format(first, last) or (":%d"):format(first)) or ""
  if name:match('[%s"]') or name:match("[%.,;:!%?%)%]}'`>]$") then
    return '@"' .. name:gsub('["\\]', "\\%0") .. '"' .. lines
  end
  return "@" .. name .. lines
end

return M
