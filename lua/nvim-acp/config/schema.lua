--- Checks the configuration of the user and of presets.
local M = {}

-- An MCP server: a program that the agent starts, or a URL.
local server = {
  command = "string",
  args = "words",
  env = "strings",
  url = "string",
  type = { "stdio", "http", "sse" },
  headers = "strings",
}

local agent = {
  command = "string",
  args = "words",
  env = "strings",
  cwd = "string",
  title = "string",
  registry = "string",
  install = "string",
  login = "string",
  mcp_servers = { ["*"] = server },
  auth_method = "string",
  mode = "string",
  mode_settings = { files = "words", key = "words" },
  model = "string",
  options = "map",
  quirks = "map",
  settings = "table",
  run_in = "any", -- config/elsewhere.lua checks it; a wrong one stays, so that the agent does not run here instead
  folders = "words",
  variables = "words",
}

-- A data file of lua/nvim-acp/elsewhere.
local kind = {
  title = "string",
  head = "string",
  program = "string",
  install = "string",
  options = { ["*"] = { type = "string", default = "any", required = "boolean" } },
  wrap = "list",
  tty = "list",
  master = "list",
  check = "list",
  paths = "list",
  joined = "boolean",
  direct = "boolean",
  sandbox = "boolean",
  reconnect = "boolean",
}

-- The values of each key: a type, "list", a set of words { "a", "b" }, or a table of keys ("*": any name).
local choice = { "allow", "ask", "deny" }
local schema = {
  agent = "string",
  agents = { ["*"] = agent },
  permission = "function",
  rules = "list",
  fs = {
    outside = { read = choice, write = choice },
    secret = "words",
    format_on_write = "boolean",
    max_read = "number",
    unsaved = { "tell", "save", "ask", false },
    flash = "integer",
    checkpoints = "boolean",
    diagnostics = { after_turn = { "offer", "send", false } },
  },
  terminal = {
    open = { "manual", "split", "float" },
    tail = "integer",
    size = "size",
    env = "strings",
    osc52 = "boolean",
  },
  chat = {
    layout = { "right", "left", "bottom", "float", "tab", "current" },
    width = "count",
    height = "count",
    insert = { true, false, "last" },
    prompt_max = "count",
    complete = "boolean",
    fold_thoughts = "boolean",
    fold_calls = "boolean",
    follow = "boolean",
  },
  review = {
    mode = { "mark", "ask", "off" },
    keys = { next = "key", prev = "key", keep = "key", revert = "key", keep_file = "key", list = "key" },
  },
  notify = {
    permission = "boolean",
    turn_end = "boolean",
    review = "boolean",
    terminal = "boolean",
    bell = "boolean",
    command = "words",
  },
  icons = { "ascii", "unicode", "nerd" },
  keys = { ["*"] = "key" },
  edit = { context = "boolean" },
  mcp_servers = { ["*"] = server },
  skills = { folders = "words", enabled = "boolean", budget = "number" },
  tools = { enabled = "boolean" },
  start = { warm = "boolean", idle_minutes = "number" },
  session = { detach = { "busy", "always", false }, idle_minutes = "number" },
  record = { enabled = "boolean", max_mb = "number" },
  usage = { budget = "number" },
  log = { level = { "debug", "info", "warn", "error" }, messages = "number" },
}

-- Returns a valid value as the rest expects it: the host wants strings, and no key may be written as an empty one.
local function usual(want, value)
  if want == "words" or want == "strings" then
    return vim.tbl_map(tostring, value)
  end
  return (want ~= "key" or value ~= "") and value
end

local longest = 50 -- bytes of the keys of a mapping

local wrong

---@return string? problem
wrong = function(want, value)
  local t = type(value)
  if want == "key" then
    local long = t == "string" and #vim.keycode(value) > longest
    return (long or t ~= "string" and value ~= false) and "a key or false, not " .. (long and "one so long" or t) or nil
  elseif want == "list" then
    return not (t == "table" and vim.islist(value)) and "a list, not " .. t or nil
  elseif want == "words" or want == "strings" then
    local shape = want == "words" and "a list of strings" or "a table of strings by name"
    if t ~= "table" or next(value) ~= nil and vim.islist(value) ~= (want == "words") then
      return shape .. ", not " .. t
    end
    for _, item in pairs(value) do
      if type(item) ~= "string" and type(item) ~= "number" then
        return ("%s, but one is a %s"):format(shape, type(item))
      end
    end
    return nil
  elseif want == "any" then -- of the option's own type, which is checked there
    return nil
  elseif want == "integer" then
    local whole = t == "number" and value % 1 == 0 and math.abs(value) < 2 ^ 31
    return not whole and "a whole number, not " .. tostring(value) or nil
  elseif want == "count" then
    return (wrong("integer", value) or value < 1) and "a whole number from 1 on, not " .. tostring(value) or nil
  elseif want == "size" then
    local two = t == "table" and #value == 2
    local whole = two and not wrong("count", value[1]) and not wrong("count", value[2])
    return not whole and "two whole numbers, columns and rows" or nil
  elseif want == "map" then
    return (t ~= "table" or next(value) ~= nil and vim.islist(value)) and "a table with names, not a list" or nil
  elseif type(want) == "string" then
    return t ~= want and ("a %s, not %s"):format(want, t) or nil
  end
  return not vim.tbl_contains(want, value) and "one of " .. table.concat(vim.tbl_map(tostring, want), ", ") or nil
end

-- Copies valid values, and adds the others to problems.
local function check(given, rules, into, path, problems)
  for key, value in pairs(given) do
    local want = rules[key] or rules["*"]
    local name = path .. tostring(key)
    if path == "keys." and into[key] == nil then -- the defaults are there
      want = nil
    end
    if not want then
      table.insert(problems, name .. ": unknown option")
    elseif type(want) == "table" and not vim.islist(want) then
      if type(value) ~= "table" then
        table.insert(problems, ("%s: must be a table, not %s"):format(name, type(value)))
      else
        into[key] = into[key] or {}
        check(value, want, into[key], name .. ".", problems)
      end
    else
      local problem = wrong(want, value)
      if problem then
        table.insert(problems, ("%s: must be %s"):format(name, problem))
      else
        into[key] = usual(want, value)
      end
    end
  end
end

--- Returns the valid part of a preset, and its problems.
---@param given table
---@param path string that names it
---@return acp.AgentConfig, string[] problems
function M.preset(given, path)
  local right, problems = {}, {}
  check(given, agent, right, path, problems)
  table.sort(problems)
  return right, problems
end

--- Returns the valid part of a table for some rules, and its problems.
---@param given table
---@param rules table
---@return table, string[] problems
function M.fits(given, rules)
  local right, problems = {}, {}
  check(given, rules, right, "", problems)
  table.sort(problems)
  return right, problems
end

--- Returns the valid part of a kind of place, and its problems.
---@param given table
---@return acp.PlaceKind, string[] problems
function M.kind(given)
  return M.fits(given, kind)
end

--- Copies the valid options, and returns the problems of the others.
---@param given table
---@param into acp.Config
---@return string[] problems
function M.options(given, into)
  local problems = {}
  check(given, schema, into, "", problems)
  return problems
end

return M
