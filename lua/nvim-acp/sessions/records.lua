--- Records of sessions, as far as they are needed before the host runs.
local M = {}

local state = require("nvim-acp.state")

local function folder()
  return vim.fn.stdpath("state") .. "/nvim-acp/sessions"
end

-- Reads the session from the first line of a record.
local function head(path)
  local ok, lines = pcall(vim.fn.readfile, path, "", 1)
  local good, line = pcall(vim.json.decode, ok and lines[1] or "", { luanil = { object = true } })
  local data = good and type(line) == "table" and line.data
  if type(data) ~= "table" or type(data.agent) ~= "string" then
    return nil
  end
  local id = vim.fn.fnamemodify(path, ":t:r")
  return { id = id, remote = data.session or "", agent = data.agent, cwd = data.cwd, dirs = data.directories or {} }
end

--- Returns the record of a session that is not open, by its local or the agent's id.
---@param id string
---@return table? row { id, remote, agent, cwd, dirs }
function M.find(id)
  for _, row in pairs(state.closed) do -- its record may be incomplete
    if row.id == id or row.remote == id then
      return row
    end
  end
  if id:match("^[%w_-]+$") then
    local row = head(("%s/%s.jsonl"):format(folder(), id))
    if row then
      return row
    end
  end
  for _, path in ipairs(vim.fn.glob(folder() .. "/*.jsonl", true, true)) do
    local row = head(path)
    if row and row.remote == id then
      return row
    end
  end
end

--- Returns the agent of the previous session in a folder.
---@param cwd string
---@return string?
function M.last_agent(cwd)
  local files = vim.tbl_map(function(path)
    return { path = path, time = vim.fn.getftime(path) }
  end, vim.fn.glob(folder() .. "/*.jsonl", true, true))
  table.sort(files, function(a, b)
    return a.time > b.time
  end)
  for i = 1, math.min(#files, 200) do
    local row = head(files[i].path)
    if row and row.cwd == cwd then
      return row.agent
    end
  end
end

return M
