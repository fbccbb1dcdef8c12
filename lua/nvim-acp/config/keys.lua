--- Keys for agents. They are in the system's keyring, where a program for that is there; else in this Neovim's memory
--- only. A file has the names of methods for which the keyring has a key, and no key.
local M = {}

---@type table<string, string> by agent and method
local kept = {}

local function at(agent, method)
  return agent .. "/" .. method
end

-- Returns the names that the keyring has keys for, by agent.
local function index()
  return require("nvim-acp.config.store").read("keys")
end

local function note(agent, method, there)
  local store = require("nvim-acp.config.store")
  local all = index()
  local methods = vim.tbl_filter(function(other)
    return other ~= method
  end, all[agent] or {})
  if there then
    table.insert(methods, method)
  end
  all[agent] = #methods > 0 and methods or nil
  store.write("keys", all)
end

-- A keyring: what its program is called with. A key goes in by stdin, since others can read arguments.
---@class acp.Keyring
---@field keep fun(name: string, key: string): string[], string command, stdin
---@field find fun(name: string): string[]
---@field forget fun(name: string): string[]

---@type table<string, acp.Keyring>
local keyrings = {
  ["secret-tool"] = {
    keep = function(name, key)
      return { "secret-tool", "store", "--label=nvim-acp: " .. name, "service", "nvim-acp", "agent", name }, key
    end,
    find = function(name)
      return { "secret-tool", "lookup", "service", "nvim-acp", "agent", name }
    end,
    forget = function(name)
      return { "secret-tool", "clear", "service", "nvim-acp", "agent", name }
    end,
  },
  security = {
    keep = function(name, key)
      local line = "add-generic-password -U -s nvim-acp -a '%s' -X %s\n"
      return { "security", "-i" }, line:format(name, vim.text.hexencode(key))
    end,
    find = function(name)
      return { "security", "find-generic-password", "-s", "nvim-acp", "-a", name, "-w" }
    end,
    forget = function(name)
      return { "security", "delete-generic-password", "-s", "nvim-acp", "-a", name }
    end,
  },
}

---@return acp.Keyring?
local function keyring()
  for _, program in ipairs({ "secret-tool", "security" }) do
    if vim.fn.executable(program) == 1 then
      return keyrings[program]
    end
  end
end

local patience = 30000 -- milliseconds: the keyring may ask for its password

-- Runs a program of a keyring. The callback gets what it says, or nil.
local function run(command, stdin, done)
  local ok = pcall(vim.system, command, { stdin = stdin, text = true, timeout = patience }, function(out)
    vim.schedule(function()
      done(out.code == 0 and out.stdout or nil)
    end)
  end)
  if not ok then
    done(nil)
  end
end

---@type table<string, boolean> by agent and method: the key that is kept was refused
local refused = {}

--- Notes that an agent has refused the key that is kept: it is not sent again by this Neovim, but stays where it is.
---@param agent string
---@param method string
function M.refused(agent, method)
  refused[at(agent, method)], kept[at(agent, method)] = true, nil
end

--- Returns the methods of an agent for which there is a key that it has not refused.
---@param agent string
---@return string[]
function M.methods(agent)
  local list = vim.tbl_filter(function(method)
    return not refused[at(agent, method)]
  end, keyring() and index()[agent] or {})
  for name in pairs(kept) do
    local method = vim.startswith(name, agent .. "/") and name:sub(#agent + 2)
    if method and not vim.tbl_contains(list, method) then
      table.insert(list, method)
    end
  end
  return list
end

--- Keeps a key; calls back with whether the keyring has it.
---@param agent string
---@param method string
---@param key string
---@param done fun(safe: boolean)
function M.keep(agent, method, key, done)
  local name, ring = at(agent, method), keyring()
  kept[name], refused[name] = key, nil
  if not ring or name:find("[^%w@%./ _-]") then -- it is quoted for one of them
    return done(false)
  end
  local command, stdin = ring.keep(name, key)
  run(command, stdin, function(out)
    note(agent, method, out ~= nil)
    done(out ~= nil)
  end)
end

--- Calls back with a key, or nil.
---@param agent string
---@param method string
---@param done fun(key: string?)
function M.find(agent, method, done)
  local name, ring = at(agent, method), keyring()
  if kept[name] or not ring or not vim.tbl_contains(index()[agent] or {}, method) then
    return done(kept[name])
  end
  run(ring.find(name), nil, function(out)
    local key = out and vim.trim(out) or ""
    kept[name] = key ~= "" and key or nil
    done(kept[name])
  end)
end

--- Forgets a key.
---@param agent string
---@param method string
function M.forget(agent, method)
  local name, ring = at(agent, method), keyring()
  kept[name], refused[name] = nil, nil
  if ring and vim.tbl_contains(index()[agent] or {}, method) then
    run(ring.forget(name), nil, function() end)
  end
  note(agent, method, false)
end

return M
