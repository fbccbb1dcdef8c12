--- The agents that :AcpInstall knows, from the registry beside the presets, and those that it has installed.
local M = {}

---@class acp.Installed what agent.json in the folder of a version says; host/install writes it
---@field id string
---@field name string
---@field version string
---@field how "npm"|"archive"|"uvx"
---@field source string
---@field program string
---@field args string[]?
---@field env table<string, string>?
---@field installed integer Unix time
---@field folder string

---@class acp.Installable
---@field id string
---@field name string
---@field version string
---@field description string

local function decode(path)
  local value = require("nvim-acp.ui.disk").json(path)
  return type(value) == "table" and value or {}
end

---@return string path of the registry
function M.path()
  return require("nvim-acp.config.program").root() .. "/lua/nvim-acp/agents/registry.json"
end

---@return string folder of all that is installed
function M.root()
  return vim.fn.stdpath("data") .. "/nvim-acp/agents"
end

local known ---@type table<string, acp.Installable>?

--- Returns the agents of the registry by their ids.
---@return table<string, acp.Installable>
function M.known()
  if not known then
    known = {}
    for _, agent in ipairs(decode(M.path()).agents or {}) do
      known[agent.id] = agent
    end
  end
  return known
end

--- Returns what is installed, by id: the versions of an agent, the one installed last, which is used, at the end.
---@return table<string, acp.Installed[]>
function M.installed()
  local found, root = {}, M.root()
  for id in vim.fs.dir(root) do
    for version in vim.fs.dir(root .. "/" .. id) do
      local folder = ("%s/%s/%s"):format(root, id, version)
      local this = decode(folder .. "/agent.json")
      if this.id == id and this.version == version and this.program then
        this.folder = folder
        found[id] = found[id] or {}
        table.insert(found[id], this)
      end
    end
  end
  for _, list in pairs(found) do
    table.sort(list, function(a, b)
      return a.installed < b.installed
    end)
  end
  return found
end

--- Returns the program of an installed agent: a path, or a name that is searched on $PATH.
---@param this acp.Installed
---@return string
function M.program(this)
  return this.how == "uvx" and this.program or this.folder .. "/" .. this.program
end

-- Gives an agent the program that is installed for it.
local function use(agent, this)
  agent.before = { command = agent.command, args = agent.args, env = agent.env }
  agent.command = M.program(this)
  agent.args = this.args or {}
  agent.env = vim.tbl_extend("force", agent.env or {}, this.env or {})
  agent.installed = this
end

--- Gives an agent that runs on another side the program of its preset back: what is installed here is not there.
---@param agent acp.AgentConfig
---@param place table?
function M.leave(agent, place)
  if agent.before and place and not place.sandbox then
    agent.command, agent.args, agent.env = agent.before.command, agent.before.args, agent.before.env
    agent.installed = nil
  end
end

--- Joins presets with the registry: agents without a preset are added, and installed ones start from where they are.
---@param agents table<string, acp.AgentConfig> presets by name, changed
function M.join(agents)
  local names, all, installed = {}, {}, M.installed()
  for name, agent in pairs(agents) do
    names[agent.registry or ""] = name
  end
  for id, agent in pairs(M.known()) do
    all[id] = agent.name
  end
  for id, list in pairs(installed) do
    all[id] = all[id] or list[#list].name
  end
  for id, title in pairs(all) do
    local name = names[id] or id
    local agent = agents[name]
    if not agent then
      agent = { title = title, command = "", args = {}, env = {}, registry = id }
      agents[name] = agent
    end
    if agent.registry == id then
      agent.install = M.known()[id] and ":AcpInstall " .. name or agent.install
      local list = installed[id]
      if list then
        use(agent, list[#list])
      end
    end
  end
end

return M
