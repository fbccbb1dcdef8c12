--- Records of sessions, as far as they are needed before the host runs.
local M = {}

local state = require("nvim-acp.state")

local first = 256 * 1024 -- bytes of the first line of a record

local function folder()
  return vim.fn.stdpath("state") .. "/nvim-acp/sessions"
end

-- Returns the paths of all records.
local function all()
  local paths = {}
  for name in vim.fs.dir(folder()) do
    if vim.endswith(name, ".jsonl") then
      table.insert(paths, folder() .. "/" .. name)
    end
  end
  return paths
end

-- Reads the session from the first line of a record.
local function head(path)
  local text = require("nvim-acp.ui.disk").head(path, first) or ""
  local good, line = pcall(vim.json.decode, text:match("^[^\n]*"), { luanil = { object = true } })
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
  for _, path in ipairs(all()) do
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
  end, all())
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
