--- :AcpAgent: the list of agents, the one for new chats, and their settings.
local M = {}

local function known()
  return require("nvim-acp.config.agents")
end

-- Returns the location of the program, or how to install it.
local function where(agent)
  if not agent.command then
    return "built in", true
  end
  local place = agent.run_in and require("nvim-acp.config.elsewhere").spec(agent)
  if place and not place.sandbox and agent.command ~= "" then
    local reachable = require("nvim-acp.config.elsewhere").reachable(agent)
    return ("in %s"):format(place.title) .. (reachable and "" or (": no program " .. place.program)), reachable
  end
  local path = agent.command ~= "" and vim.fn.exepath(agent.command) or ""
  if path ~= "" and agent.installed then
    return "installed " .. agent.installed.version, true
  elseif path ~= "" then
    return vim.fn.fnamemodify(path, ":~"), true
  end
  if vim.startswith(agent.install or "", ":AcpInstall") then
    return "can be installed", false
  end
  return "not installed" .. (agent.install and ": " .. agent.install or ""), false
end

-- Returns the agents: installed ones, the built-in one, those with presets, the others.
local function rows()
  local default, list = known().default(), {}
  for name, agent in pairs(known().agents()) do
    local text, here = where(agent)
    local rank = here and (agent.command and 1 or 2) or agent.command ~= "" and 3 or 4
    table.insert(
      list,
      { name = name, agent = agent, where = text, here = here, default = name == default, rank = rank }
    )
  end
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then
      return a.rank < b.rank
    end
    return a.name < b.name
  end)
  return list
end

local function column(list, get)
  local wide = 0
  for _, row in ipairs(list) do
    wide = math.max(wide, vim.api.nvim_strwidth(get(row)))
  end
  return function(row)
    return get(row) .. (" "):rep(wide - vim.api.nvim_strwidth(get(row)))
  end
end

-- Starts a chat with an agent and remembers it for new ones.
local function begin(name)
  known().remember(name)
  require("nvim-acp.sessions").chat({ agent = name })
end

-- Starts a chat with an agent, or installs it.
local function use(row)
  if row.here then
    return begin(row.name)
  elseif require("nvim-acp.install").possible(row.name) then
    return require("nvim-acp.install").run(row.name)
  end
  require("nvim-acp.ui.message").warn(("%s is %s"):format(row.agent.title or row.name, row.where))
end

local function change(row)
  require("nvim-acp.config.settings").edit(row.name, row.agent)
end

local function changeable(row)
  return #(row.agent.settings or {}) > 0
end

local function act(row)
  local message = require("nvim-acp.ui.message")
  local title = row.agent.title or row.name
  local able = changeable(row)
  local installable = not row.here and require("nvim-acp.install").possible(row.name)
  if not row.here and not installable then
    message.warn(("%s is %s"):format(title, row.where))
  end
  if not able and installable then
    return require("nvim-acp.install").run(row.name)
  elseif not able then
    return row.here and begin(row.name)
  end
  local actions = { { word = "Change its settings", settings = true } }
  if row.here then
    table.insert(actions, 1, { word = "Use it, here and for new chats" })
  elseif installable then
    table.insert(actions, 1, { word = "Install it", install = true })
  end
  require("nvim-acp.ui.choose").from(actions, {
    prompt = title,
    kind = "acp-action",
    format_item = function(action)
      return action.word
    end,
  }, function(action)
    if action and action.settings then
      change(row)
    elseif action and action.install then
      require("nvim-acp.install").run(row.name)
    elseif action then
      begin(row.name)
    end
  end)
end

local function pick()
  local list = rows()
  local icons, width = require("nvim-acp.ui.style").icons(), math.max(vim.o.columns - 12, 20)
  local name = column(list, function(row)
    return row.name
  end)
  local title = column(list, function(row)
    return row.agent.title or row.name
  end)
  require("nvim-acp.ui.choose").from(list, {
    prompt = ("Agents (%s for new chats)"):format(icons.now),
    kind = "acp-agent",
    format_item = function(row)
      local line = ("%s %s  %s  %s"):format(row.default and icons.now or " ", name(row), title(row), row.where)
      return require("nvim-acp.ui.text").line(line, width)
    end,
    usual = { "<CR>", "use", "use it, here and for new chats; install it if it is missing", run = use },
    keys = { { "s", "settings", "change its settings", run = change, on = changeable } },
  }, function(row)
    if row then
      act(row)
    end
  end)
end

--- :AcpAgent without a name, with one, or with one and "settings".
---@param name string?
---@param what string?
function M.run(name, what)
  local agent = name and known().agents()[name]
  if not name then
    pick()
  elseif not agent then
    local text = 'no agent "%s": it has no preset and is not in the configuration'
    require("nvim-acp.ui.message").warn(text:format(name))
  elseif what == "settings" then
    require("nvim-acp.config.settings").edit(name, agent)
  elseif what then
    require("nvim-acp.ui.message").unknown("argument", what, { "settings" })
  else
    begin(name)
  end
end

return M
