--- Servers of the Model Context Protocol as they are configured, made ready for the host.
local M = {}

---@class acp.MCPServer
---@field command string? the program; the agent starts it
---@field args string[]?
---@field env table<string, string>?
---@field url string? where it is reached
---@field type "stdio"|"http"|"sse"? "http" if there is a url
---@field headers table<string, string>?

-- A table of strings, for the host, which takes nothing else.
local function strings(t)
  return type(t) == "table" and vim.tbl_map(tostring, t) or {}
end

local function word(value)
  return type(value) == "string" and value or ""
end

--- The servers for the host; later ones take the place of earlier ones of the same name.
---@param ... table<string, acp.MCPServer>?
---@return table<string, table>
function M.merge(...)
  local dict = require("nvim-acp.rpc").dict
  local out = {}
  for i = 1, select("#", ...) do
    for name, given in pairs((select(i, ...)) or {}) do
      out[tostring(name)] = {
        command = word(given.command),
        args = strings(given.args),
        env = dict(strings(given.env)),
        url = word(given.url),
        type = word(given.type),
        headers = dict(strings(given.headers)),
        project = given.project == true,
      }
    end
  end
  return dict(out)
end

return M
