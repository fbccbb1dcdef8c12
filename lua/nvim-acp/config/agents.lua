--- The agents: presets and the configuration, which of them are installed, and how one is started.
local M = {}

local said = {} ---@type table<string, true>

-- Reports a problem of a preset, once.
local function complain(text)
  if not said[text] then
    said[text] = true
    require("nvim-acp.ui.message").warn(text)
  end
end

--- Returns the agents: presets on the runtimepath and what the registry has, overridden by the configuration.
---@return table<string, acp.AgentConfig>
function M.agents()
  local found = {}
  for _, preset in ipairs(require("nvim-acp.config.presets").files("agents")) do
    if not found[preset.name] then
      local problems = { tostring(preset.data) }
      if preset.ok and type(preset.data) == "table" then
        found[preset.name], problems = require("nvim-acp.config.schema").preset(preset.data, "")
      end
      if #problems > 0 then
        complain(("agent preset %s: %s"):format(preset.file, table.concat(problems, "; ")))
      end
    end
  end
  require("nvim-acp.config.registry").join(found)
  for name, own in pairs(require("nvim-acp.config").options.agents) do
    if own.command and found[name] then
      found[name].installed = nil -- the user's program goes first
    end
    if own.run_in and found[name] and not own.command then
      require("nvim-acp.config.registry").leave(found[name], require("nvim-acp.config.elsewhere").spec(own))
    end
    local declared, given = (found[name] or {}).settings, own.settings or {}
    local declares = #given > 0 -- a list declares settings, a table has values for them
    found[name] = vim.tbl_deep_extend("force", found[name] or {}, own)
    found[name].settings = declares and given or declared
    found[name].values = not declares and given or nil
    if own.mode then
      found[name].mode_settings = nil
    end
  end
  return found
end

--- Returns the problems of an agent's settings that are known so far: a plugin with its preset may be loaded later.
---@param name string
---@return string[]
function M.setting_problems(name)
  local agent = M.agents()[name]
  if not agent or not (agent.settings or agent.command) then
    return {}
  end
  local _, problems = require("nvim-acp.config.settings").list(name, agent)
  return problems
end

---@param agent acp.AgentConfig
---@return boolean
local function installed(agent)
  local place = agent.run_in and require("nvim-acp.config.elsewhere").spec(agent)
  if place and not place.sandbox then -- whether the program is there is seen when it is started
    return agent.command ~= "" and require("nvim-acp.config.elsewhere").reachable(agent)
  end
  return agent.command == nil or agent.command ~= "" and vim.fn.executable(agent.command) == 1
end

--- Returns the names of the installed agents in order, without the demo agent.
---@return string[]
function M.installed()
  local names = {}
  for name, agent in pairs(M.agents()) do
    if name ~= "demo" and agent.command and installed(agent) then
      table.insert(names, name)
    end
  end
  table.sort(names)
  return names
end

local remembered = vim.fn.stdpath("state") .. "/nvim-acp/agent"

--- Remembers an agent for new sessions.
---@param name string
function M.remember(name)
  require("nvim-acp.ui.disk").folder(vim.fs.dirname(remembered))
  pcall(vim.fn.writefile, { name }, remembered)
end

--- Returns the remembered agent, if there is one.
---@return string?
function M.remembered()
  local text = require("nvim-acp.ui.disk").head(remembered, 1024)
  return text and text:match("^[^\n]+")
end

--- Returns the agent for a call that names none, if no question is needed.
---@return string?
function M.default()
  local options, names = require("nvim-acp.config").options, M.installed()
  if options.agent or #names < 2 then
    return options.agent or names[1] or "demo"
  end
  local last = M.remembered()
  return vim.tbl_contains(names, last) and last or nil
end

-- Returns how to install an agent, for the end of a sentence in its chat.
local function install_hint(agent)
  local key = require("nvim-acp.config").options.keys.install
  local ours = vim.startswith(agent.install or "", ":AcpInstall")
  return (agent.install or "") .. (ours and key and (", or %s here"):format(key) or "")
end

-- Reports whether the agent's own settings choose a mode: the first of the files whose variables are set says it.
local function chooses_mode(agent, env)
  for _, file in ipairs((agent.mode_settings or {}).files or {}) do
    local unset = false
    local path = file:gsub("^~", vim.uv.os_homedir() or "~"):gsub("%$([%w_]+)", function(name)
      local value = env[name] or vim.env[name]
      unset = unset or not value
      return value or ""
    end)
    if not unset then
      local data = require("nvim-acp.ui.disk").json(path)
      return type(data) == "table" and vim.tbl_get(data, unpack(agent.mode_settings.key)) ~= nil
    end
  end
  return false
end

---@param name string
---@return table? spec, string? problem
function M.spec(name)
  local agent = M.agents()[name]
  if not agent then
    return nil, ("no agent %q: it has no preset and is not in the configuration"):format(name)
  end
  local dict = require("nvim-acp.config.store").object
  local args, env = require("nvim-acp.config.settings").apply(name, agent, agent.args or {}, agent.env or {})
  local spec = {
    name = name,
    title = agent.title or name,
    command = agent.command,
    args = args,
    env = dict(env),
    cwd = agent.cwd or "",
    install = install_hint(agent),
    login = agent.login or "",
    auth_method = agent.auth_method or "",
    kept = require("nvim-acp.config.keys").methods(name),
    quirks = dict(agent.quirks),
    mode = not chooses_mode(agent, env) and agent.mode or "",
    model = agent.model or "",
    options = dict(agent.options),
    rules = {},
    mcp_servers = require("nvim-acp.config.servers").merge(
      require("nvim-acp.config").options.mcp_servers,
      agent.mcp_servers
    ),
  }
  if agent.run_in then
    local problem = require("nvim-acp.config.elsewhere").wrong(agent.run_in)
    if problem then -- never here instead
      return nil, ("%s: agents.%s.run_in: must be %s"):format(spec.title, name, problem)
    end
    spec.elsewhere = require("nvim-acp.config.elsewhere").spec(agent)
  end
  if not spec.command then -- the built-in agent is the host program itself
    spec.command = require("nvim-acp.config.program").path()
  end
  return spec
end

return M
