--- Starts sessions: which agent, which folder, and what the host is told.
local M = {}

local state = require("nvim-acp.state")

local said = {} ---@type table<string, true>

-- Says what is wrong with a preset, once.
local function complain(text)
  if not said[text] then
    said[text] = true
    require("nvim-acp.ui.message").warn(text)
  end
end

--- The agents that can be started: presets found on the runtimepath, overridden by the configuration.
---@return table<string, acp.AgentConfig>
function M.agents()
  local found = {}
  for _, file in ipairs(vim.api.nvim_get_runtime_file("lua/nvim-acp/agents/*.lua", true)) do
    local name = vim.fn.fnamemodify(file, ":t:r")
    if not found[name] then
      local ok, preset = pcall(dofile, file)
      local problems = { tostring(preset) }
      if ok and type(preset) == "table" then
        found[name], problems = require("nvim-acp.config").preset(preset, "")
      end
      if #problems > 0 then
        complain(("agent preset %s: %s"):format(file, table.concat(problems, "; ")))
      end
    end
  end
  for name, own in pairs(require("nvim-acp.config").options.agents) do
    local declared, given = (found[name] or {}).settings, own.settings or {}
    local declares = #given > 0 -- a list declares settings, a table has values for them
    found[name] = vim.tbl_deep_extend("force", found[name] or {}, own)
    found[name].settings = declares and given or declared
    found[name].values = not declares and given or nil
  end
  return found
end

--- What is wrong with the settings of an agent, as far as it is known by now: a plugin that brings it may come later.
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
  return agent.command == nil or agent.command ~= "" and vim.fn.executable(agent.command) == 1
end

--- Names of the agents whose program is here, the demo agent left out, in order.
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

local function remember(name)
  pcall(vim.fn.mkdir, vim.fs.dirname(remembered), "p") -- the host may make it at the same moment
  pcall(vim.fn.writefile, { name }, remembered)
end

--- The agent that is used when none is named, if that takes no question.
---@return string?
function M.default()
  local options, names = require("nvim-acp.config").options, M.installed()
  local ok, lines = pcall(vim.fn.readfile, remembered)
  if options.agent or #names < 2 then
    return options.agent or names[1] or "demo"
  elseif ok and vim.tbl_contains(names, lines[1]) then
    return lines[1]
  end
end

--- Calls back with the agent to use: named, configured, the only one installed, remembered, that of the last session in
--- the folder, chosen, or the demo agent.
---@param name string?
---@param cwd string?
---@param done fun(name: string)
local function choose(name, cwd, done)
  name = name or require("nvim-acp.config").options.agent
  if name then
    return done(name)
  end
  local names = M.installed()
  if #names == 0 then
    require("nvim-acp.ui.message").info("no agent installed, so this is the demo agent; see :checkhealth nvim-acp")
    return done("demo")
  elseif #names == 1 then
    require("nvim-acp.ui.message").info("using " .. names[1] .. ", the one agent installed")
    return done(names[1])
  end
  local ok, lines = pcall(vim.fn.readfile, remembered)
  if ok and vim.tbl_contains(names, lines[1]) then
    return done(lines[1])
  end
  local before = require("nvim-acp.sessions").last_agent(cwd or vim.fn.getcwd())
  if vim.tbl_contains(names, before) then
    require("nvim-acp.ui.message").info(("using %s, the agent of the last session here (:AcpAgent)"):format(before))
    return done(before)
  end
  vim.ui.select(names, { prompt = "Agent (remembered; :AcpAgent changes it)" }, function(choice)
    if choice then
      remember(choice)
      done(choice)
    end
  end)
end

--- Makes another agent the remembered one.
---@param name string
function M.remember(name)
  remember(name)
end

local function folder(cwd, done)
  cwd = vim.fn.fnamemodify(cwd or vim.fn.getcwd(), ":p")
  cwd = cwd ~= "/" and cwd:gsub("/$", "") or cwd
  if cwd ~= "/" and cwd ~= vim.env.HOME then
    return done(cwd)
  end
  vim.ui.select(
    { "Yes, work in " .. cwd, "No" },
    { prompt = cwd .. " is a large folder to give to an agent." },
    function(_, i)
      if i == 1 then
        done(cwd)
      end
    end
  )
end

---@param name string
---@return table? spec, string? problem
function M.spec(name)
  local agent = M.agents()[name]
  if not agent then
    return nil, ("no agent %q: it has no preset and is not in the configuration"):format(name)
  end
  local dict = require("nvim-acp.rpc").dict
  local args, env = require("nvim-acp.config.settings").apply(name, agent, agent.args or {}, agent.env or {})
  local spec = {
    name = name,
    title = agent.title or name,
    command = agent.command,
    args = args,
    env = dict(env),
    cwd = agent.cwd or "",
    install = agent.install or "",
    login = agent.login or "",
    auth_method = agent.auth_method or "",
    quirks = dict(agent.quirks),
    mode = agent.mode or "",
    model = agent.model or "",
    options = dict(agent.options),
    rules = {},
    mcp_servers = require("nvim-acp.config.servers").merge(require("nvim-acp.config").options.mcp_servers, agent.mcp_servers),
  }
  if not spec.command then -- the built-in agent is the host program itself
    spec.command = require("nvim-acp.rpc").bin()
  end
  return spec
end

--- Starts the agent that would be used, before there is a session, if that takes no question.
function M.warm()
  local name = M.default()
  local spec = name and M.spec(name)
  if spec and spec.command and require("nvim-acp.rpc").bin() and vim.fn.executable(spec.command) == 1 then
    require("nvim-acp.rpc").notify("warm", { agent = spec, cwd = vim.fn.getcwd() })
  end
end

--- Creates a session and starts its agent.
---@param opts { agent: string?, cwd: string?, additional_directories: string[]? }
---@param done fun(s: acp.Session)? called with the session
---@return string? session local id, nil when the user is being asked
function M.session(opts, done)
  local id
  local named = opts.agent or require("nvim-acp.config.project").agent(opts.cwd or vim.fn.getcwd())
  choose(named, opts.cwd, function(name)
    folder(opts.cwd, function(cwd)
      local spec, problem = M.spec(name)
      if not spec then
        return require("nvim-acp.ui.message").error(problem --[[@as string]])
      end
      local s = state.create(name, cwd)
      s.agent_title = spec.title
      s.dirs = vim.tbl_map(function(dir)
        return vim.fs.normalize(vim.fn.fnamemodify(dir, ":p"))
      end, opts.additional_directories or {})
      id = s.id
      state.use(s)
      M.open(s, spec)
      if done then
        done(s)
      end
    end)
  end)
  return id
end

--- Restarts a session's agent. Other sessions that it works for are named, and it is asked.
---@param s acp.Session
function M.restart(s)
  local function go()
    local spec = M.spec(s.agent)
    state.notify(s, "restart", { agent = spec and require("nvim-acp.config.project").apply(spec, s.cwd) })
  end
  local others = {}
  for _, other in pairs(state.sessions) do
    if other ~= s and other.agent == s.agent and (other.state == "busy" or other.state == "waiting") then
      table.insert(others, other.title ~= "" and other.title or other.id)
    end
  end
  if #others == 0 then
    return go()
  end
  local prompt = ("%s also works on: %s."):format(s.agent_title, table.concat(others, ", "))
  vim.ui.select({ "Restart it", "Leave it running" }, { prompt = prompt }, function(_, i)
    if i == 1 then
      go()
    end
  end)
end

--- Tells the host of a session: at its start, and again after the host was lost.
---@param s acp.Session
---@param spec table?
---@param more { strict: boolean?, fork: string?, from: string?, title: string?, lost: boolean? }? of one that there was
---@return boolean
function M.open(s, spec, more)
  spec = spec or M.spec(s.agent)
  spec = spec and require("nvim-acp.config.project").apply(spec, s.cwd)
  local args = { agent = spec, cwd = s.cwd, dirs = s.dirs, remote = s.remote }
  return state.notify(s, "open", vim.tbl_extend("error", args, more or {}))
end

return M
