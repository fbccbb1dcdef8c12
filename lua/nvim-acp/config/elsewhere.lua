--- Where agents run: the kinds, each a data file, and what `run_in` of an agent makes of one.
local M = {}

---@class acp.PlaceKind
---@field title string names the place in messages; "{name}" in it, and in the words below, is an option's value
---@field head string? names it in the chat's head
---@field program string? that must be here
---@field install string? how to get that
---@field options table<string, { type: string, default: any, required: boolean? }>
---@field wrap (string|string[])[]? the words before a command; a list in it is left out if an option in it is not set
---@field tty (string|string[])[]? those before a command on a terminal
---@field master (string|string[])[]? those of a connection that all agents with the same words share
---@field check (string|string[])[]? a command that succeeds if the place can be used
---@field paths string[][]? the default of that option
---@field joined boolean? a shell there reads what follows the words
---@field direct boolean? commands are children of the host
---@field sandbox boolean? it is bubblewrap
---@field reconnect boolean? a lost connection may come back

-- Options that all kinds have.
local common = { paths = "list", folder = "string", title = "string", env = "words", kind = "string" }

local kinds ---@type table<string, acp.PlaceKind>?

--- Returns the kinds by name.
---@return table<string, acp.PlaceKind>, string[] problems of their files
function M.kinds()
  local problems = {}
  if not kinds then
    kinds = {}
    for _, kind in ipairs(require("nvim-acp.config.presets").files("elsewhere")) do
      local wrong = { tostring(kind.data) }
      if kind.ok and type(kind.data) == "table" and not kinds[kind.name] then
        kinds[kind.name], wrong = require("nvim-acp.config.schema").kind(kind.data)
      end
      if not kind.ok or #wrong > 0 then
        table.insert(problems, ("%s: %s"):format(kind.file, table.concat(wrong, "; ")))
      end
    end
  end
  return kinds, problems
end

-- Returns the kind that `run_in` means, its name, and the options.
local function chosen(run_in)
  local given = type(run_in) == "string" and { kind = run_in } or run_in
  local name = given.kind or given.wrap and "command"
  return M.kinds()[name], name, given
end

--- Returns the problem of a value of `run_in`, or nil.
---@param run_in any
---@return string? problem
function M.wrong(run_in)
  if type(run_in) ~= "string" and type(run_in) ~= "table" then
    return "a kind or a table, not " .. type(run_in)
  end
  local kind, name, given = chosen(run_in)
  if not kind then
    local names = vim.tbl_keys(M.kinds())
    table.sort(names)
    return ("one of %s, or a table with one as `kind`"):format(table.concat(names, ", "))
  end
  local rules, problems = vim.deepcopy(common), {}
  for option, about in pairs(kind.options or {}) do
    rules[option] = about.type
    if about.required and given[option] == nil then
      table.insert(problems, ("%s needs `%s`"):format(name, option))
    end
  end
  vim.list_extend(problems, select(2, require("nvim-acp.config.schema").fits(given, rules)))
  for _, pair in ipairs(type(given.paths) == "table" and given.paths or {}) do
    if type(pair) ~= "table" or type(pair[1]) ~= "string" or type(pair[2]) ~= "string" or #pair ~= 2 then
      table.insert(problems, "paths: must be pairs of folders, { here, there }")
    end
  end
  table.sort(problems)
  return #problems > 0 and "right: " .. table.concat(problems, "; ") or nil
end

-- Returns words with the values of options in them.
local function expand(words, values)
  local out = {}
  for _, word in ipairs(words or {}) do
    local group = type(word) == "table"
    local list = group and word or { word }
    local missing = false
    for _, w in ipairs(list) do
      local name = w:match("^{(%l+)}$")
      missing = missing or group and name ~= nil and values[name] == nil
    end
    for _, w in ipairs(missing and {} or list) do
      local name = w:match("^{(%l+)}$")
      if name and type(values[name]) == "table" then
        vim.list_extend(out, values[name])
      elseif not (name == "args" and values.args == nil) then
        w = w:gsub("{(%l+)}", function(key)
          return type(values[key]) == "string" and values[key] or nil
        end)
        table.insert(out, w)
      end
    end
  end
  return out
end

-- Returns the user's folders of skills.
local function home_skills()
  return vim.tbl_map(function(folder)
    return "~/" .. folder
  end, require("nvim-acp.config").options.skills.folders)
end

--- Returns where an agent runs, as the host takes it; nil if that is here.
---@param agent acp.AgentConfig
---@return table?
function M.spec(agent)
  if not agent.run_in or M.wrong(agent.run_in) then
    return nil
  end
  local kind, name, given = chosen(agent.run_in)
  local values = {}
  for option, about in pairs(kind.options or {}) do
    values[option] = about.default
  end
  values = vim.tbl_extend("force", values, given)
  local text = function(word)
    return expand({ word }, vim.tbl_extend("keep", { program = (given.wrap or {})[1] }, values))[1]
  end
  local title = given.title or text(kind.title)
  local head = given.title or text(kind.head or kind.title)
  if kind.sandbox and values.network == false then
    head = head .. ", no network"
  end
  return {
    kind = name,
    title = title,
    head = head,
    wrap = expand(given.wrap or kind.wrap, values),
    tty = expand(given.tty or kind.tty, values),
    master = expand(kind.master, values),
    check = expand(given.check or kind.check, values),
    program = kind.program or (given.wrap or {})[1],
    joined = kind.joined or false,
    login = kind.joined and values.login or false,
    direct = kind.direct or values.direct or false,
    sandbox = kind.sandbox or false,
    network = values.network ~= false,
    paths = given.paths or (given.folder and {} or kind.paths) or {},
    folder = given.folder or "",
    read = vim.list_extend(home_skills(), values.read or {}),
    write = vim.list_extend(vim.list_slice(agent.folders or {}), values.write or {}),
    env = vim.list_extend(vim.list_slice(agent.variables or {}), given.env or {}),
    reconnect = kind.reconnect or false,
    install = kind.install or "",
    runtime = kind.sandbox and vim.api.nvim_list_runtime_paths() or {},
  }
end

--- Returns whether the program that leads to an agent's place is here.
---@param agent acp.AgentConfig
---@return boolean
function M.reachable(agent)
  local spec = M.spec(agent)
  return spec ~= nil and (spec.program == nil or vim.fn.executable(spec.program) == 1)
end

return M
