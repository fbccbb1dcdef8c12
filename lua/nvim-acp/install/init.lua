--- :AcpInstall: shows what would run, and runs it when the user confirms.
local M = {}

local message = require("nvim-acp.ui.message")

---@type table<string, string> by agent: why it could not be installed
local failed = {}

-- The agent that is being installed; one at a time.
local running ---@type { title: string, job: acp.InstallJob?, said: string }?

local function registry()
  return require("nvim-acp.config.registry")
end

-- Returns the installed and installable agents, by the names that :AcpChat accepts.
local function choices()
  local found = {}
  for name, agent in pairs(require("nvim-acp.config.agents").agents()) do
    if agent.registry and (registry().known()[agent.registry] or agent.installed) then
      found[name] = agent
    end
  end
  return found
end

--- Returns the names that :AcpInstall accepts.
---@return string[]
function M.names()
  return vim.tbl_keys(choices())
end

-- Restarts the disconnected sessions of an agent, since it is installed now.
local function wake(name)
  local state = require("nvim-acp.state")
  for _, id in ipairs(vim.deepcopy(state.order)) do
    local s = state.sessions[id]
    if s and s.agent == name and s.state == "disconnected" then
      require("nvim-acp.state.agent").restart(s)
    end
  end
end

-- Carries out the plan that was shown.
local function install(name, plan)
  local title = ("%s %s"):format(plan.name, plan.version)
  if running then
    return message.warn(running.title .. " is being installed; :AcpInstall shows it")
  end
  running = { title = title, said = "" }
  message.info(("installing %s; :AcpInstall stops it"):format(title))
  running.job = require("nvim-acp.install.job").start({ ["do"] = "install", plan = plan }, function(answer, problem)
    running = nil
    failed[name] = problem ~= "stopped" and problem or nil
    if problem == "stopped" then
      return message.info(title .. " is not installed: stopped")
    elseif not answer then
      return message.error(("%s is not installed (:AcpInstall %s shows why): %s"):format(title, name, problem))
    end
    local notes = answer.installed.notes or {}
    message.info(("%s is installed: :AcpChat %s"):format(title, name))
    for _, note in ipairs(notes) do
      message.warn(("%s: %s"):format(plan.name, note))
    end
    wake(name)
  end, function(text)
    if running then
      running.said = text
      message.info(("installing %s: %s"):format(title, text))
    end
  end)
end

-- Shows the running installation, with a key to stop it.
local function show_running()
  local lines = { running.title .. " is being installed" .. (running.said ~= "" and ": " .. running.said or "") }
  require("nvim-acp.ui.center").ask(lines, "Installation", {
    {
      "x",
      "stop it",
      function()
        if running and running.job then
          running.job.stop()
        end
      end,
    },
    { "q", "let it run" },
  })
end

-- Shows a plan, with a key to carry it out.
local function ask(name, plan, changes)
  local title = ("Install %s %s"):format(plan.name, plan.version)
  local lines = require("nvim-acp.install.plan").lines(plan, changes)
  local problem = require("nvim-acp.install.plan").problem(plan)
  local answers = { { "q", "not now" } }
  if failed[name] then
    table.insert(lines, "")
    vim.list_extend(lines, require("nvim-acp.install.plan").failed(failed[name]))
  end
  if problem then
    vim.list_extend(lines, { "", problem })
  else
    table.insert(answers, 1, {
      "i",
      "install",
      function()
        install(name, plan)
      end,
      whole = true,
    })
  end
  require("nvim-acp.ui.center").ask(lines, title, answers, require("nvim-acp.install.plan").indent)
end

-- Removes versions of an agent, one after the other. A process that no session uses any more ends first.
local function remove(name, list)
  local this = table.remove(list, 1)
  if not this then
    return
  end
  if require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("rest", { agent = name })
  end
  local request = { ["do"] = "remove", id = this.id, version = this.version }
  require("nvim-acp.install.job").start(request, function(answer, problem)
    local title = ("%s %s"):format(this.name, this.version)
    if not answer then
      return message.error(("%s is not removed: %s"):format(title, problem))
    end
    message.info(title .. " is removed")
    remove(name, list)
  end)
end

-- Reports whether a session uses an agent; its files are needed then.
local function in_use(name)
  for _, s in pairs(require("nvim-acp.state").sessions) do
    if s.agent == name and s.state ~= "disconnected" then
      return true
    end
  end
  return false
end

-- Shows the installed versions of an agent, with a key to remove them.
local function show_installed(name, list)
  local last, lines, old = list[#list], {}, vim.list_slice(list, 1, #list - 1)
  for i = #list, 1, -1 do
    local this = list[i]
    local what = i == #list and "is used" or "is not used"
    table.insert(lines, ("%s  %s, installed %s"):format(this.version, what, os.date("%Y-%m-%d", this.installed)))
    table.insert(lines, "  from " .. this.source)
    table.insert(lines, "  in " .. vim.fn.fnamemodify(this.folder, ":~"))
  end
  vim.list_extend(lines, { "", ":AcpInstall! " .. name .. " looks for a newer version" })
  local function guarded(versions)
    return function()
      if in_use(name) then
        return message.warn(("a session uses %s: end it with :AcpClose first"):format(last.name))
      end
      remove(name, versions)
    end
  end
  local answers = { { "x", "remove it", guarded({ last }) }, { "q", "close" } }
  if #old > 0 then
    table.insert(answers, 2, { "o", "remove the others", guarded(old) })
  end
  require("nvim-acp.ui.center").ask(vim.tbl_map(require("nvim-acp.ui.text").visible, lines), last.name, answers)
end

-- Shows the plan for an agent, or its installed versions.
local function show(name, agent)
  local list = registry().installed()[agent.registry]
  if list then
    return show_installed(name, list)
  end
  require("nvim-acp.install.job").start({ ["do"] = "plan", ids = { agent.registry } }, function(answer, problem)
    if not answer then
      return message.error(problem --[[@as string]])
    end
    ask(name, answer.plans[1])
  end)
end

-- Returns the description of an agent for a row of the list, its rank there, and the version that belongs before it.
local function known(agent)
  local this = registry().known()[agent.registry]
  if agent.installed then
    return "installed " .. agent.installed.version, 1
  elseif agent.command ~= "" and vim.fn.executable(agent.command) == 1 then
    return "found " .. vim.fn.fnamemodify(vim.fn.exepath(agent.command), ":~"), 2
  end
  return this.description, agent.command ~= "" and 3 or 4, this.version
end

-- Lists agents: installed here, found on $PATH, with presets, others.
local function pick()
  local words, rows, wide, longest, versions = require("nvim-acp.ui.text"), {}, 0, 0, 0
  for name, agent in pairs(choices()) do
    local text, rank, version = known(agent)
    table.insert(rows, { name = name, agent = agent, text = text, rank = rank, version = version })
    versions = math.max(versions, vim.api.nvim_strwidth(words.line(version or "", 16)))
    wide = math.max(wide, #name)
    longest = math.max(longest, vim.api.nvim_strwidth(words.line(agent.title or name, 24)))
  end
  table.sort(rows, function(a, b)
    if a.rank ~= b.rank then
      return a.rank < b.rank
    end
    return a.name < b.name
  end)
  local width = math.max(vim.o.columns - 12, 20)
  require("nvim-acp.ui.choose").from(rows, {
    prompt = "Install an agent",
    kind = "acp-install",
    format_item = function(row)
      local title = words.column(row.agent.title or row.name, longest)
      local text = row.version and words.column(row.version, versions) .. "  " .. row.text or row.text
      return words.line(("%s  %s  %s"):format(words.column(row.name, wide), title, text), width)
    end,
  }, function(row)
    if row then
      show(row.name, row.agent)
    end
  end)
end

-- Shows agents with a newer version, with a key to update.
local function offer(updates, names)
  if #updates == 1 then
    return ask(names[updates[1].plan.id], updates[1].plan, updates[1].changes)
  end
  require("nvim-acp.ui.choose").from(updates, {
    prompt = "Newer versions",
    kind = "acp-install",
    format_item = function(update)
      return ("%s  %s → %s"):format(update.plan.name, update.installed.version, update.plan.version)
    end,
  }, function(update)
    if update then
      ask(names[update.plan.id], update.plan, update.changes)
    end
  end)
end

-- Checks for newer versions of one installed agent or all.
local function newer(name)
  local ids, names = {}, {}
  for other, agent in pairs(choices()) do
    if agent.installed and (other == name or not name) then
      table.insert(ids, agent.registry)
      names[agent.registry] = other
    end
  end
  if #ids == 0 then
    local what = name and name .. " is not installed by :AcpInstall" or "no agent is installed by :AcpInstall"
    return message.info(what)
  end
  table.sort(ids)
  local address = vim.g.nvim_acp_registry or "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json"
  message.info("asking the registry for newer versions")
  local request = { ["do"] = "newer", ids = ids, address = address }
  require("nvim-acp.install.job").start(request, function(answer, problem)
    if not answer then
      return message.error(problem --[[@as string]])
    end
    local none = #(answer.updates or {}) == 0
    if answer.old then
      local knows = none and "the plugin knows of nothing newer" or "this is what the plugin knows"
      message.warn(("the registry cannot be asked, %s: %s"):format(knows, answer.why or ""))
    end
    if none and answer.old then
      return
    elseif none then
      return message.info("there is no newer version of " .. (name or "what is installed"))
    end
    offer(answer.updates, names)
  end)
end

--- :AcpInstall[!] with an agent or without.
---@param name string?
---@param bang boolean? look for newer versions
function M.run(name, bang)
  local agent = name and choices()[name]
  if name and not agent then
    message.warn(("%s is not in the registry of agents; :AcpInstall lists those that are"):format(name))
  elseif bang then
    newer(name)
  elseif running then
    show_running()
  elseif agent then
    show(name, agent)
  else
    pick()
  end
end

--- Reports whether the program of an agent is missing and can be installed.
---@param name string
---@return boolean
function M.possible(name)
  local agent = choices()[name]
  return agent ~= nil and (agent.command == "" or vim.fn.executable(agent.command) == 0)
end

return M
