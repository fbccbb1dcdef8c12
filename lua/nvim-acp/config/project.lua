--- The configuration in a project's own files. It does nothing until the user has read its effects and trusts it. Trust
--- is by content: a changed file asks again.
local M = {}

local uv = vim.uv

local names = { ".nvim-acp.json", ".mcp.json" }
local max_size = 256 * 1024 -- bytes of a file

---@class acp.ProjectFile
---@field name string
---@field path string
---@field hash string
---@field trusted boolean
---@field data table? nil if it is not JSON
---@field problem string?
---@field agent string?
---@field mode string?
---@field model string?
---@field rules acp.Rule[]
---@field wrong string[] problems of its unused parts
---@field servers table<string, acp.MCPServer>

-- Returns the servers of a file, marked as the project's.
local function servers_of(data)
  local found = data.mcpServers or data.mcp_servers
  local out = {}
  for name, given in pairs(type(found) == "table" and found or {}) do
    if type(name) == "string" and type(given) == "table" then
      out[name] = vim.tbl_extend("force", given, { project = true })
    end
  end
  return out
end

local function word(value)
  return type(value) == "string" and value ~= "" and value or nil
end

-- Parses a file.
local function parse(file, text)
  local ok, data = pcall(vim.json.decode, text, { luanil = { object = true } })
  if not ok or type(data) ~= "table" then
    file.problem = "it is not JSON"
    return
  end
  file.data, file.servers = data, servers_of(data)
  file.wrong = require("nvim-acp.config.servers").problems(file.servers)
  if file.name ~= ".nvim-acp.json" then
    return
  end
  file.agent, file.mode, file.model = word(data.agent), word(data.mode), word(data.model)
  local problems
  file.rules, problems = require("nvim-acp.config.rules").checked(data.rules)
  vim.list_extend(file.wrong, problems)
  for _, key in ipairs({ "agent", "mode", "model" }) do
    if data[key] ~= nil and not file[key] then
      table.insert(file.wrong, key .. ": must be a word")
    end
  end
  for key in pairs(data) do
    if not vim.tbl_contains({ "agent", "mode", "model", "rules", "mcp_servers", "mcpServers" }, key) then
      table.insert(file.wrong, ("%s: a project cannot set that"):format(tostring(key)))
    end
  end
  table.sort(file.wrong)
end

--- Returns the configuration files of a folder.
---@param cwd string
---@return acp.ProjectFile[]
function M.files(cwd)
  local list, hashes = {}, nil
  for _, name in ipairs(names) do
    local path = (uv.fs_realpath(cwd) or cwd) .. "/" .. name
    local text = require("nvim-acp.ui.disk").read(path, max_size)
    if text then
      hashes = hashes or require("nvim-acp.config.trust").hashes()
      local hash = vim.fn.sha256(text)
      local file = { name = name, path = path, hash = hash, trusted = hashes[path] == hash }
      file.rules, file.wrong, file.servers = {}, {}, {}
      parse(file, text)
      table.insert(list, file)
    end
  end
  return list
end

---@type table<string, boolean> files that were reported to the user, by path and content
local told = {}

local function tell(file)
  if not told[file.path .. file.hash] then
    told[file.path .. file.hash] = true
    local why = file.problem and " of this project: " .. file.problem or " needs your trust: :AcpTrust"
    require("nvim-acp.ui.message").info(file.name .. why)
  end
end

-- Returns the trusted files of a folder, and reports others once.
local function usable(cwd)
  return vim.tbl_filter(function(file)
    if file.problem or not file.trusted then
      tell(file)
      return false
    end
    return true
  end, M.files(cwd))
end

-- Returns the rules of a project that apply: with a permission function of the user's it allows nothing.
local function usable_rules(rules)
  return vim.tbl_filter(function(rule)
    return rule.action ~= "allow" or require("nvim-acp.config").options.permission == nil
  end, rules)
end

--- Returns an agent's spec with a folder's trusted configuration. The user's servers win.
---@param spec table
---@param cwd string
---@return table spec
function M.apply(spec, cwd)
  local files = usable(cwd)
  if #files == 0 then
    return spec
  end
  spec = vim.deepcopy(spec)
  local own = spec.mcp_servers
  local found = {}
  for _, file in ipairs(files) do
    spec.mode, spec.model = file.mode or spec.mode, file.model or spec.model
    vim.list_extend(spec.rules, usable_rules(file.rules))
    found = vim.tbl_extend("keep", found, file.servers)
  end
  spec.mcp_servers = require("nvim-acp.config.servers").merge(found, own)
  return spec
end

--- Returns the agent that a folder's trusted file names.
---@param cwd string
---@return string?
function M.agent(cwd)
  for _, file in ipairs(usable(cwd)) do
    if file.agent and require("nvim-acp.config.agents").agents()[file.agent] then
      return file.agent
    end
  end
end

return M
