--- :checkhealth nvim-acp, in the order in which a user would check.
local M = {}

local health = vim.health

---@return string[] advice for a missing or outdated program
local function build_advice()
  if require("nvim-acp.build").possible() then
    return { "run :AcpBuild, then restart Neovim" }
  end
  return { "install Go (https://go.dev/dl/), run :AcpBuild, then restart Neovim", "or put nvim-acp on your PATH" }
end

-- Returns the version of the program, or why it has none.
local function version_of(bin)
  local out = require("nvim-acp.ui.run").wait({ bin, "version" }, nil, 5000)
  if out.code ~= 0 then
    local said = vim.trim(out.stderr)
    return nil, said ~= "" and said or ("it ends with status %d"):format(out.code)
  end
  return vim.trim(out.stdout)
end

local function check_program()
  health.start("nvim-acp: program")
  local rpc = require("nvim-acp.rpc")
  local bin = require("nvim-acp.config.program").path()
  if not bin then
    return health.error("the program nvim-acp is not built", build_advice())
  end
  local version, problem = version_of(bin)
  if not version then
    return health.error(("%s does not run: %s"):format(bin, problem), build_advice())
  end
  local theirs = tonumber(version:match("interface (%d+)"))
  if theirs == rpc.interface then
    return health.ok(("%s: %s"):format(version, bin))
  end
  local text = "%s (%s) does not fit the plugin, which has interface %d"
  health.error(text:format(bin, version, rpc.interface), build_advice())
end

local function check_neovim()
  health.start("nvim-acp: Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim 0.10 or newer is needed, this is " .. tostring(vim.version()))
  end
  if vim.o.cpoptions:find("S", 1, true) then
    local advice = { "take it out: set cpoptions-=S" }
    health.warn("with S in 'cpoptions' each buffer gets your global options anew as you enter it, a chat too", advice)
  end
end

-- Reports the configured agent, which new sessions start. Whether one can be started that runs elsewhere is seen there.
local function check_configured(name, agent, installed)
  if not agent then
    local names = vim.fn.sort(vim.tbl_keys(require("nvim-acp.config.agents").agents()))
    local advice = { "choose one of: " .. table.concat(names, ", ") }
    return health.error(("the configured agent %q has no preset and is not in `agents`"):format(name), advice)
  elseif agent.command == nil or vim.tbl_contains(installed, name) then
    return health.ok(("new sessions start the configured agent, %s"):format(name))
  end
  local elsewhere = require("nvim-acp.config.elsewhere")
  local place = agent.run_in and elsewhere.spec(agent)
  if place and not place.sandbox then
    return health.error(("the configured agent, %s, cannot be started: its place is not reachable"):format(name), {
      "see below what `run_in` needs",
    })
  end
  local missing = agent.command ~= "" and (": no program %q"):format(agent.command) or ""
  local advice = { agent.install and "to install it: " .. agent.install or "correct `command` in `agents`, or `agent`" }
  if #installed > 0 then
    table.insert(advice, "or set `agent` to one that is installed: " .. table.concat(installed, ", "))
  end
  health.error(("the configured agent, %s, is not installed%s"):format(name, missing), advice)
end

-- Reports the agent that :AcpChat would start, as far as it is known without a question.
local function check_default(agents, installed)
  local default = require("nvim-acp.config").options.agent
  if default then
    check_configured(default, agents[default], installed)
  elseif #installed == 0 then
    health.info("no agent is installed: new sessions start the built-in demo agent")
  elseif #installed == 1 then
    health.ok(("new sessions start %s, the only one installed"):format(installed[1]))
  else
    health.ok("several agents are installed: the first new session asks; `agent` in the configuration sets one")
  end
end

-- Reports settings that differ from their defaults, and their problems.
local function check_settings(name, agent)
  local list, problems = require("nvim-acp.config.settings").list(name, agent)
  for _, entry in ipairs(list) do
    local setting = entry.setting
    if entry.from ~= "default" then
      local from = entry.from == "you" and "chosen with :AcpAgent" or "configured"
      health.ok(
        ("%s: %s = %s (%s)"):format(
          name,
          setting.name,
          require("nvim-acp.config.settings").shown(setting, entry.value),
          from
        )
      )
      if setting.type == "path" and vim.fn.empty(vim.fn.glob(entry.value)) == 1 then
        health.warn(("%s: %s: there is no %s"):format(name, setting.name, entry.value))
      end
    end
  end
  for _, problem in ipairs(problems) do
    health.warn(problem, { "see :help nvim-acp-agents" })
  end
end

local function check_agents()
  health.start("nvim-acp: agents")
  local known = require("nvim-acp.config.agents")
  local agents, installed = known.agents(), known.installed()
  check_default(agents, installed)
  for _, name in ipairs(installed) do
    local agent = agents[name]
    local login = agent.login and ("; login: " .. agent.login) or ""
    local how = agent.installed and (" (installed by :AcpInstall, %s)"):format(agent.installed.version) or ""
    local path = vim.fn.exepath(agent.command)
    health.ok(("%s: %s%s%s"):format(name, path ~= "" and path or agent.command, how, login))
    check_settings(name, agent)
  end
  local names, further, default = vim.tbl_keys(agents), {}, require("nvim-acp.config").options.agent
  table.sort(names)
  for _, name in ipairs(names) do
    local agent = agents[name]
    if agent.command == "" and agent.registry then
      table.insert(further, name)
    elseif agent.command and not vim.tbl_contains(installed, name) and name ~= default then
      local how = agent.install and "; to install it: " .. agent.install or ""
      health.info(("%s: no program %q%s"):format(name, agent.command, how))
    end
  end
  if #further > 0 then
    health.info("further agents that :AcpInstall knows: " .. table.concat(further, ", "))
  end
end

-- Runs a command that shows whether a place can be used, and returns why it cannot.
local function tried(words)
  local out = require("nvim-acp.ui.run").wait(words, nil, 10000)
  if out.code ~= 0 then
    local said = vim.trim(out.stderr)
    return said ~= "" and said or ("`%s` ends with status %d"):format(table.concat(words, " "), out.code)
  end
end

-- Reports where agents run that do not run here.
local function check_places()
  local elsewhere = require("nvim-acp.config.elsewhere")
  local agents = require("nvim-acp.config.agents").agents()
  for name, agent in vim.spairs(agents) do
    if agent.run_in then
      local place, wrong = elsewhere.spec(agent), elsewhere.wrong(agent.run_in)
      local cwd = vim.fn.getcwd()
      local words = place
        and vim.tbl_map(function(word)
          return (word:gsub("{here}", cwd):gsub("{cwd}", cwd):gsub("{name}", vim.fs.basename(cwd)))
        end, place.check)
      if wrong then
        health.error(("%s: run_in must be %s"):format(name, wrong), { "see :help nvim-acp-elsewhere" })
      elseif place.program and vim.fn.executable(place.program) == 0 then
        local how = place.install ~= "" and { "to install it: " .. place.install } or {}
        health.error(("%s runs in %s: no program %q"):format(name, place.title, place.program), how)
      else
        local why = #words > 0 and tried(words)
        if why then
          health.error(("%s runs in %s, which cannot be used: %s"):format(name, place.title, why))
        else
          health.ok(("%s runs in %s%s"):format(name, place.title, #words > 0 and ", which can be used" or ""))
        end
      end
    end
  end
  for _, problem in ipairs(select(2, elsewhere.kinds())) do
    health.warn(problem)
  end
end

-- Returns what is wrong with the patterns of `fs.secret`: the program knows them. One too old says nothing.
local function secret_problems()
  local bin, patterns = require("nvim-acp.config.program").path(), require("nvim-acp.config").options.fs.secret
  if not bin or #patterns == 0 then
    return {}
  end
  local out = require("nvim-acp.ui.run").wait({ bin, "secrets", unpack(patterns) }, nil, 5000)
  local problems = {}
  for i, said in ipairs(out.code == 0 and vim.split(out.stdout, "\n") or {}) do
    if said ~= "" then
      table.insert(problems, ("fs.secret: %q: %s"):format(patterns[i], said))
    end
  end
  return problems
end

local function check_config()
  health.start("nvim-acp: configuration")
  local problems = vim.list_extend(secret_problems(), require("nvim-acp.config").problems)
  for _, problem in ipairs(problems) do
    health.warn(problem, { "see :help nvim-acp-config" })
  end
  if #problems == 0 then
    health.ok("no unknown or ill-typed option")
  end
end

-- Reports whether the agents of open sessions have connected to the editor's tools.
local function check_tools()
  local state = require("nvim-acp.state")
  for _, id in ipairs(state.order) do
    local s = state.sessions[id]
    local name = s.title ~= "" and ("%s, %s"):format(s.agent_title, s.title) or s.agent_title
    if s.tools == "connected" then
      health.ok(name .. ": connected to them")
    elseif s.tools == "offered" then
      health.info(name .. ": offered to it; it has not connected to them")
    end
  end
end

-- Reports the servers for agents in this folder, and untrusted files of the project.
local function check_servers()
  health.start("nvim-acp: MCP servers")
  if require("nvim-acp.config").options.tools.enabled then
    health.ok("nvim: the editor's own tools for agents, see :help nvim-acp-tools")
    check_tools()
  else
    health.info("tools.enabled is false: agents do not get the editor's own tools")
  end
  local servers = require("nvim-acp.config.servers").merge(require("nvim-acp.config").options.mcp_servers)
  for name, server in vim.spairs(servers) do
    local command = server.command:find("${", 1, true) and "" or server.command:gsub("^~/", vim.env.HOME .. "/")
    if server.command == "" and server.url == "" then
      health.warn(("%s: it has neither command nor url"):format(name), { "see :help nvim-acp-config-mcp_servers" })
    elseif command ~= "" and vim.fn.executable(command) == 0 then
      health.warn(("%s: no program %q"):format(name, command))
    else
      health.ok(("%s: %s"):format(name, server.command ~= "" and server.command or server.url))
    end
  end
  for _, file in ipairs(require("nvim-acp.config.project").files(vim.fn.getcwd())) do
    if file.problem then
      health.warn(("%s: %s"):format(file.path, file.problem))
    elseif file.trusted then
      health.ok(file.path .. ": trusted")
    else
      health.info(file.path .. ": not trusted, so not used; see :AcpTrust")
    end
  end
  if next(servers) == nil then
    health.info("no other is configured")
  end
end

-- Reports the folders of skills here, and the skills in them.
local function check_skills()
  health.start("nvim-acp: skills")
  local skills, found = require("nvim-acp.config").options.skills, false
  if skills.enabled == false then
    return health.info("skills.enabled is false: agents get none")
  end
  for _, folder in ipairs(require("nvim-acp.sessions.skills").folders(vim.fn.getcwd())) do
    if vim.fn.isdirectory(folder.path) == 1 then
      found = true
      health.ok(("%s (%s): see :AcpSkills"):format(folder.path, folder.project and "of this project" or "yours"))
    end
  end
  if not found then
    health.info("there are none, of this project or of yours, in " .. table.concat(skills.folders, ", "))
  end
end

-- Reports the sessions that go on without Neovim.
local function check_detached()
  health.start("nvim-acp: detached sessions")
  local obstacle = require("nvim-acp.rpc").obstacle()
  if obstacle then
    health.warn("sessions of this Neovim cannot be detached", { obstacle })
  end
  local hosts, complete = require("nvim-acp.attach.hosts").now()
  for _, host in ipairs(hosts) do
    local line = require("nvim-acp.attach.hosts").line(host)
    if host.ended then
      local forget = ("nvim-acp stop %d forgets it"):format(host.pid)
      health.warn(line, { "its last words are in " .. host.log, ":AcpSessions has its conversations", forget })
    elseif host.problem then
      health.warn(line, { ("nvim-acp stop %d ends it"):format(host.pid) })
    else
      health.info(("%s (host %d): :AcpAttach goes on with it"):format(line, host.pid))
    end
  end
  if not complete then
    health.info("the list took too long: :checkhealth nvim-acp again, or nvim-acp ps")
  elseif #hosts == 0 then
    health.ok("there are none")
  end
end

local function check_completion()
  health.start("nvim-acp: completion in the prompt")
  local other = require("nvim-acp.prompt.complete").other()
  if other then
    health.ok(("%s completes; it gets / and @ from the language server of the prompt, or 'omnifunc'"):format(other))
  elseif require("nvim-acp.config").options.chat.complete then
    health.ok("no completion plugin is loaded: a menu opens by itself for / and @")
  else
    health.info("no completion plugin is loaded and chat.complete is false: <C-x><C-o> completes")
  end
end

local function check_clashes()
  health.start("nvim-acp: clashes")
  local clashes = vim.g.nvim_acp_clashes or {}
  for _, name in ipairs(clashes) do
    health.warn((":%s is defined by another plugin, and was left alone"):format(name))
  end
  local taken = require("nvim-acp.commands.clashes").taken()
  for _, name in ipairs(taken) do
    health.warn((":%s was redefined by a plugin loaded later"):format(name), {
      "load nvim-acp after it, or map the function of |nvim-acp-lua| that you need",
    })
  end
  if #vim.api.nvim_get_runtime_file("lua/acp/init.lua", true) > 0 then
    health.info('another plugin provides require("acp"); this one is require("nvim-acp")')
  end
  -- lualine draws its winbar over those of the chat, unless it is told not to
  local ok, lualine = pcall(function()
    return package.loaded.lualine.get_config()
  end)
  local drawn = ok and (next(lualine.winbar or {}) or next(lualine.inactive_winbar or {}))
  local left = ok and ((lualine.options or {}).disabled_filetypes or {}).winbar or {}
  if drawn and not (vim.tbl_contains(left, "acp-chat") and vim.tbl_contains(left, "acp-prompt")) then
    health.warn("lualine draws its winbar over those of the chat", { "see :help nvim-acp-plugins" })
  end
  if #clashes + #taken == 0 then
    health.ok("no command is taken by another plugin")
  end
end

function M.check()
  check_program()
  check_neovim()
  check_agents()
  check_places()
  check_config()
  check_servers()
  check_skills()
  check_detached()
  check_completion()
  check_clashes()
end

return M
