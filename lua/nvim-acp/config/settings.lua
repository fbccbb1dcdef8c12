--- Settings of agents: each preset declares its own; values come from the user's stored choice, else from the
--- configuration, else from the preset, and become variables or arguments of the program.
local M = {}

---@class acp.Setting
---@field name string
---@field type "text"|"path"|"select"|"checkbox"|"number"
---@field help string?
---@field default any nil: the agent's own
---@field choices string[]? of a select
---@field min number?
---@field max number?
---@field env string? the variable that gets the value; of a checkbox that is on "1"
---@field args string[]? arguments that are added; "{value}" in them is the value
---@field secret boolean? its value is not shown

-- Returns the stored values of an agent.
local function kept(agent)
  local values = require("nvim-acp.config.store").read("settings")[agent]
  return type(values) == "table" and values or {}
end

-- Stores a value; nil restores the default.
local function keep(agent, name, value)
  local store = require("nvim-acp.config.store")
  local all, values = store.read("settings"), kept(agent)
  values[name] = value
  all[agent] = next(values) ~= nil and values or nil
  if not store.write("settings", all) then
    require("nvim-acp.ui.message").error("the setting cannot be written to " .. store.path("settings"))
  end
end

local lua_type = { text = "string", path = "string", select = "string", checkbox = "boolean", number = "number" }

--- Returns the problem of a value, or nil.
---@param setting acp.Setting
---@param value any
---@return string? problem
function M.wrong(setting, value)
  local want = lua_type[setting.type]
  if type(value) ~= want then
    return ("must be a %s, not %s"):format(want, type(value))
  elseif setting.type == "select" and not vim.tbl_contains(setting.choices, value) then
    return "must be one of " .. table.concat(setting.choices, ", ")
  elseif want == "number" and (value ~= value or math.abs(value) == math.huge) then
    return "must be a finite number"
  elseif setting.min and want == "number" and value < setting.min then
    return ("must be at least %s"):format(setting.min)
  elseif setting.max and want == "number" and value > setting.max then
    return ("must be at most %s"):format(setting.max)
  end
end

local function is_words(list)
  return type(list) == "table"
    and vim.islist(list)
    and vim.iter(list):all(function(word)
      return type(word) == "string"
    end)
end

-- Returns the problem of a declaration, or nil.
local function misdeclared(setting)
  if type(setting) ~= "table" or type(setting.name) ~= "string" or not setting.name:match("^[%w_]+$") then
    return "must be a table with a name of letters, digits and underscores"
  elseif not lua_type[setting.type] then
    return ("%s: type must be text, path, select, checkbox or number"):format(setting.name)
  elseif setting.type == "select" and not (is_words(setting.choices) and #setting.choices > 0) then
    return setting.name .. ": a select needs choices, which are strings"
  elseif setting.env == nil and setting.args == nil then
    return setting.name .. ": needs env or args, by which it takes effect"
  elseif setting.env ~= nil and not (type(setting.env) == "string" and setting.env:match("^[%a_][%w_]*$")) then
    return setting.name .. ": env must be the name of a variable"
  elseif setting.args ~= nil and not is_words(setting.args) then
    return setting.name .. ": args must be a list of strings"
  end
  for key, want in pairs({ min = "number", max = "number", help = "string" }) do
    if setting[key] ~= nil and type(setting[key]) ~= want then
      return ("%s: %s must be a %s"):format(setting.name, key, want)
    end
  end
  if setting.default ~= nil and M.wrong(setting, setting.default) then
    return ("%s: default %s"):format(setting.name, M.wrong(setting, setting.default))
  end
end

--- Returns the settings of an agent with their values, and their problems.
---@param name string
---@param agent acp.AgentConfig
---@return { setting: acp.Setting, value: any, from: "you"|"configuration"|"default" }[]
---@return string[] problems
function M.list(name, agent)
  local list, problems, known = {}, {}, {}
  local chosen, configured = kept(name), agent.values or {}
  for i, setting in ipairs(agent.settings or {}) do
    local problem = misdeclared(setting)
    if problem then
      table.insert(problems, ("agents.%s.settings[%d]: %s"):format(name, i, problem))
    else
      local entry = { setting = setting, value = setting.default, from = "default" }
      for _, source in ipairs({ { configured, "configuration" }, { chosen, "you" } }) do
        local value = source[1][setting.name]
        problem = value ~= nil and M.wrong(setting, value) or nil
        if problem then
          table.insert(problems, ("agents.%s.settings.%s: %s"):format(name, setting.name, problem))
        elseif value ~= nil then
          entry.value, entry.from = value, source[2]
        end
      end
      known[setting.name] = true
      table.insert(list, entry)
    end
  end
  for key in pairs(configured) do
    if not known[key] then
      table.insert(problems, ("agents.%s.settings.%s: unknown setting"):format(name, key))
    end
  end
  table.sort(problems)
  return list, problems
end

local function text(setting, value)
  if setting.type == "checkbox" then
    return "1"
  elseif setting.type == "path" then
    return (vim.fn.fnamemodify(value, ":p"):gsub("(.)/$", "%1"))
  end
  return tostring(value)
end

--- Adds the variables and arguments of an agent's settings. Variables that the configuration sets itself stay.
---@param name string
---@param agent acp.AgentConfig
---@param args string[]
---@param env table<string, string>
---@return string[] args, table<string, string> env
function M.apply(name, agent, args, env)
  args, env = vim.list_slice(args), vim.deepcopy(env)
  for _, entry in ipairs((M.list(name, agent))) do
    local setting, value = entry.setting, entry.value
    if value ~= nil and value ~= "" and value ~= false then
      local word = text(setting, value)
      if setting.env and env[setting.env] == nil then
        env[setting.env] = word
      end
      for _, arg in ipairs(setting.args or {}) do
        table.insert(args, (arg:gsub("{value}", (word:gsub("%%", "%%%%")))))
      end
    end
  end
  return args, env
end

--- Returns a value as it may be shown.
---@param setting acp.Setting
---@param value any
---@return string
function M.shown(setting, value)
  if value == nil or value == "" then
    return "-"
  elseif setting.secret then
    return "(set)"
  elseif type(value) == "boolean" then
    return value and "on" or "off"
  end
  return tostring(value)
end

local function pad(word, width)
  return word .. (" "):rep(width - vim.api.nvim_strwidth(word))
end

local edit

-- Stores a typed or chosen value; an empty one restores the default.
local function take(name, agent, setting, typed)
  local value = typed
  if setting.type == "number" and typed and typed ~= "" then
    value = tonumber(typed) or typed
  end
  local problem = value ~= nil and value ~= "" and M.wrong(setting, value)
  if problem then
    require("nvim-acp.ui.message").warn(("%s: %s"):format(setting.name, problem))
  else
    if value == "" then
      value = nil
    end
    keep(name, setting.name, value)
  end
  edit(name, agent)
end

local function change(name, agent, entry)
  local setting = entry.setting
  if setting.type == "checkbox" then
    return take(name, agent, setting, not entry.value)
  elseif setting.type == "select" then
    local choices = vim.list_extend(vim.list_slice(setting.choices), { "(default)" })
    return require("nvim-acp.ui.choose").from(choices, { prompt = setting.name, kind = "acp-value" }, function(choice)
      if choice then
        take(name, agent, setting, choice ~= "(default)" and choice or nil)
      end
    end)
  end
  require("nvim-acp.ui.choose").ask({
    prompt = setting.name,
    default = entry.value ~= nil and not setting.secret and tostring(entry.value) or nil,
    completion = setting.type == "path" and "file" or nil,
  }, function(typed)
    if typed then
      take(name, agent, setting, typed)
    end
  end)
end

-- Returns an aligned line for each setting.
local function lines(list)
  local clean = require("nvim-acp.ui.text").line
  local wide, second = 0, 0
  for _, entry in ipairs(list) do
    entry.word = clean(M.shown(entry.setting, entry.value), 30)
    wide = math.max(wide, vim.api.nvim_strwidth(entry.setting.name))
    second = math.max(second, vim.api.nvim_strwidth(entry.word))
  end
  for _, entry in ipairs(list) do
    local from = ({ you = "(chosen here) ", configuration = "(configured) ", default = "" })[entry.from]
    local line = ("%s  %s  %s%s"):format(
      pad(entry.setting.name, wide),
      pad(entry.word, second),
      from,
      entry.setting.help or ""
    )
    entry.line = clean(vim.trim(line), math.max(vim.o.columns - 12, 20))
  end
end

edit = function(name, agent)
  local list, problems = M.list(name, agent)
  for _, problem in ipairs(problems) do
    require("nvim-acp.ui.message").warn(problem)
  end
  if #list == 0 then
    return require("nvim-acp.ui.message").info(("%s has no settings"):format(agent.title or name))
  end
  lines(list)
  table.insert(list, { line = "reset all to their defaults" })
  require("nvim-acp.ui.choose").from(list, {
    prompt = ("Settings of %s, for new chats and :AcpRestart"):format(agent.title or name),
    kind = "acp-setting",
    format_item = function(entry)
      return entry.line
    end,
  }, function(entry)
    if entry and entry.setting then
      change(name, agent, entry)
    elseif entry then
      for _, each in ipairs(list) do
        if each.setting then
          keep(name, each.setting.name, nil)
        end
      end
      edit(name, agent)
    end
  end)
end

--- Lets the user change the settings of an agent.
---@param name string
---@param agent acp.AgentConfig
function M.edit(name, agent)
  edit(name, agent)
end

return M
