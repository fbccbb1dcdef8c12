--- The configuration: the defaults, which are the documentation and the type, and the check of what the user gives.
local M = {}

---@class acp.Config
M.defaults = {
  agent = nil, ---@type string? agent to start; nil: the one installed, else asked once, else the demo agent
  agents = {}, ---@type table<string, acp.AgentConfig> merged over the presets of lua/nvim-acp/agents/
  permission = nil, ---@type (fun(request: acp.Request): string?)? option id, or nil to ask; must not block
  rules = {}, ---@type acp.Rule[] { kind, tool, path, command, agent, cwd; action = "allow" | "ask" | "deny" }
  fs = {
    outside = { read = "allow", write = "ask" }, -- "allow" | "ask" | "deny", for paths outside the session's roots
    -- asked before they are served
    secret = { "**/.env*", "**/*.pem", "**/*.key", "**/id_*", "**/.netrc", "**/.ssh/**", "**/.aws/credentials" },
    format_on_write = false, -- run BufWritePre (formatters) when an agent's edit is saved
    max_read = 64 * 2 ^ 20, -- bytes; a larger file is served by line and limit only
  },
  terminal = {
    open = "manual", -- "manual" | "split" | "float": when a command starts
    tail = 10, -- last lines shown under its tool call
    size = { 120, 40 }, -- columns and rows before a window shows it
    env = {}, ---@type table<string, string>
    osc52 = false, -- let commands set the clipboard
  },
  chat = {
    layout = "right", -- "right" | "left" | "bottom" | "float" | "tab" | "current"
    width = nil, ---@type integer? columns; nil: 45 % of the screen, at most 100
    height = nil, ---@type integer? lines of a bottom or float layout; nil: 40 % or 80 %
    prompt_max = 10, -- lines the prompt grows to
    complete = true, -- open a menu for / and @ by itself where no completion plugin does
    fold_thoughts = true,
    fold_calls = true, -- fold finished tool calls
    follow = true, -- keep the end in view while the cursor is on the last line
  },
  notify = { permission = true, turn_end = true, terminal = false, bell = false },
  icons = "unicode", -- "ascii" | "unicode" | "nerd"
  keys = { -- false switches one off
    send_normal = "<CR>",
    send_insert = "<C-s>",
    stop = "<C-c>",
    focus_permission = "<C-g>",
    queue = "gQ",
    reopen = "gR",
    history_prev = "<Up>",
    history_next = "<Down>",
    history_search = "<C-x><C-r>",
    cycle_mode = "<S-Tab>",
    edit_prompt = "cc",
    open = "<CR>",
    toggle = "<Tab>",
    copy = "yc",
    next_prompt = "]]",
    prev_prompt = "[[",
    next_call = "]t",
    prev_call = "[t",
    close = "q",
  },
  -- name = { command, args, env } or { url, type = "http" | "sse", headers }
  mcp_servers = {}, ---@type table<string, acp.MCPServer>
  skills = {
    folders = { ".agents/skills" }, -- below the session's folder, and below home
    enabled = nil, ---@type boolean? nil: for agents that read none themselves
    budget = 16 * 1024, -- bytes that are sent at most
  },
  start = { warm = false, idle_minutes = nil },
  record = { enabled = true, max_mb = 200 },
  log = { level = "warn", messages = 2000 }, -- of the log file; kept for :AcpLog
}

---@class acp.AgentConfig
---@field command string the program
---@field args string[]
---@field env table<string, string>
---@field cwd string? folder the process runs in; nil: the session's
---@field title string? display name
---@field settings acp.Setting[]|table<string, any>? declared, or values by name
---@field values table<string, any>? those of the configuration, where both are there

-- A server of MCP: a program that the agent starts, or a page that it talks to.
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
  install = "string",
  login = "string",
  mcp_servers = { ["*"] = server },
  auth_method = "string",
  mode = "string",
  model = "string",
  options = "map",
  quirks = "map",
  settings = "table",
}

-- What each key may hold: a type, "list", a set of words { "a", "b" }, or a table of keys ("*": any name).
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
    width = "number",
    height = "number",
    prompt_max = "integer",
    complete = "boolean",
    fold_thoughts = "boolean",
    fold_calls = "boolean",
    follow = "boolean",
  },
  notify = { permission = "boolean", turn_end = "boolean", terminal = "boolean", bell = "boolean" },
  icons = { "ascii", "unicode", "nerd" },
  keys = { ["*"] = "key" },
  mcp_servers = { ["*"] = server },
  skills = { folders = "words", enabled = "boolean", budget = "number" },
  start = { warm = "boolean", idle_minutes = "number" },
  record = { enabled = "boolean", max_mb = "number" },
  log = { level = { "debug", "info", "warn", "error" }, messages = "number" },
}

---@type acp.Config
M.options = vim.deepcopy(M.defaults)
---@type string[] what was wrong with the options given to setup
M.problems = {}

-- Strings in the place of numbers, which do for them: nothing else is known to the host.
local function worded(want, value)
  return (want == "words" or want == "strings") and vim.tbl_map(tostring, value) or value
end

local wrong

---@return string? problem
wrong = function(want, value)
  local t = type(value)
  if want == "key" then
    return (t ~= "string" and value ~= false) and "a key or false, not " .. t or nil
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
  elseif want == "integer" then
    return (t ~= "number" or value % 1 ~= 0) and "a whole number, not " .. tostring(value) or nil
  elseif want == "size" then
    local two = t == "table" and #value == 2
    local whole = two and not wrong("integer", value[1]) and not wrong("integer", value[2])
    return not whole and "two whole numbers, columns and rows" or nil
  elseif want == "map" then
    return (t ~= "table" or next(value) ~= nil and vim.islist(value)) and "a table with names, not a list" or nil
  elseif type(want) == "string" then
    return t ~= want and ("a %s, not %s"):format(want, t) or nil
  end
  return not vim.tbl_contains(want, value) and "one of " .. table.concat(want, ", ") or nil
end

-- Takes over what is right, and names the rest in problems.
local function check(given, rules, into, path, problems)
  for key, value in pairs(given) do
    local want = rules[key] or rules["*"]
    local name = path .. tostring(key)
    if path == "keys." and M.defaults.keys[key] == nil then
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
        into[key] = worded(want, value)
      end
    end
  end
end

--- What is right of a preset, and what is wrong with it.
---@param given table
---@param path string that names it
---@return acp.AgentConfig, string[] problems
function M.preset(given, path)
  local right, problems = {}, {}
  check(given, agent, right, path, problems)
  table.sort(problems)
  return right, problems
end

--- Stores the options. Keys that are unknown or of the wrong type are left out and named in one message.
---@param opts acp.Config?
function M.setup(opts)
  M.options, M.problems = vim.deepcopy(M.defaults), {}
  if opts ~= nil and type(opts) ~= "table" then
    M.problems = { "setup: the options must be a table, not " .. type(opts) }
  else
    check(opts or {}, schema, M.options, "", M.problems)
  end
  local problems
  M.options.rules, problems = require("nvim-acp.config.rules").checked(M.options.rules)
  vim.list_extend(M.problems, problems)
  local servers = require("nvim-acp.config.servers")
  vim.list_extend(M.problems, servers.problems(M.options.mcp_servers))
  for name, own in pairs(M.options.agents) do
    vim.list_extend(M.problems, servers.problems(own.mcp_servers))
    if own.settings then
      vim.list_extend(M.problems, require("nvim-acp.sessions.start").setting_problems(name))
    end
  end
  if #M.problems > 0 then
    table.sort(M.problems)
    require("nvim-acp.ui.message").warn("setup: " .. table.concat(M.problems, "; "))
  end
end

return M
