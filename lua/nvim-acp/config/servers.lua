--- Prepares configured MCP servers for the host.
local M = {}

---@class acp.MCPServer
---@field command string? the program; the agent starts it
---@field args string[]?
---@field env table<string, string>?
---@field url string? its address
---@field type "stdio"|"http"|"sse"? "http" if there is a url
---@field headers table<string, string>?

-- Returns the strings and numbers of a table, by name or ("number") in a list. The host accepts nothing else.
local function strings(t, key)
  local out = {}
  for k, value in pairs(type(t) == "table" and t or {}) do
    if type(k) == key and vim.tbl_contains({ "string", "number", "boolean" }, type(value)) then
      out[key == "number" and #out + 1 or k] = tostring(value)
    end
  end
  return out
end

local function word(value)
  return type(value) == "string" and value or ""
end

-- Reports whether a string of a table has a NUL, which no process can be started with.
local function has_nul(value)
  if type(value) ~= "table" then
    return type(value) == "string" and value:find("\0", 1, true) ~= nil
  end
  for k, v in pairs(value) do
    if has_nul(k) or has_nul(v) then
      return true
    end
  end
  return false
end

-- Returns the problem of a server, or nil.
local function wrong(name, given)
  if type(given) ~= "table" then
    return "must be a table, not " .. type(given)
  elseif name == "" then
    return "has no name"
  elseif has_nul({ name, given }) then
    return "has a NUL character"
  end
end

--- Returns the problems of servers; those with one are not used.
---@param servers table<string, acp.MCPServer>?
---@return string[]
function M.problems(servers)
  local list = {}
  for name, given in pairs(servers or {}) do
    local problem = wrong(name, given)
    if problem then
      table.insert(list, ("MCP server %q %s"):format(tostring(name), problem))
    end
  end
  table.sort(list)
  return list
end

--- Returns the servers for the host; later ones replace earlier ones of the same name.
---@param ... table<string, acp.MCPServer>?
---@return table<string, table>
function M.merge(...)
  local dict = require("nvim-acp.config.store").object
  local out = {}
  for i = 1, select("#", ...) do
    for name, given in pairs((select(i, ...)) or {}) do
      if not wrong(name, given) then
        out[tostring(name)] = {
          command = word(given.command),
          args = strings(given.args, "number"),
          env = dict(strings(given.env, "string")),
          url = word(given.url),
          type = word(given.type),
          headers = dict(strings(given.headers, "string")),
          project = given.project == true,
        }
      end
    end
  end
  return dict(out)
end

return M
