--- The detached hosts of this user.
local M = {}

---@class acp.DetachedHost
---@field path string of its socket
---@field pid integer
---@field version string
---@field interface integer
---@field neovim integer process of the Neovim that is attached, 0: none
---@field since integer unix time when it was detached
---@field sessions acp.DetachedSession[]
---@field problem string? why it does not answer

---@class acp.DetachedSession
---@field id string local id
---@field remote string the agent's id
---@field agent string
---@field title string
---@field name string title of the agent
---@field cwd string
---@field dirs string[]
---@field state string
---@field pending string[] titles of the requests that wait for an answer
---@field used integer unix time when something last happened in it

-- Returns the folder of their sockets; host/attach has the same rule.
local function folder()
  local root = vim.env.XDG_RUNTIME_DIR or ""
  if root:sub(1, 1) == "/" and #root < 60 and vim.fn.isdirectory(root) == 1 then
    return root .. "/nvim-acp"
  end
  root = vim.env.TMPDIR or "/tmp"
  return ("%s/nvim-acp-%d"):format(#root < 60 and root or "/tmp", vim.uv.getuid())
end

--- Reports whether there may be one. It looks at one folder.
---@return boolean
function M.any()
  for name in vim.fs.dir(folder()) do
    if name:match("^%d+$") then
      return true
    end
  end
  return false
end

-- Returns those that another Neovim may attach to.
local function decode(out)
  local ok, list = pcall(vim.json.decode, out.stdout or "", { luanil = { object = true, array = true } })
  return vim.tbl_filter(function(host)
    return host.neovim ~= vim.fn.getpid()
  end, ok and out.code == 0 and type(list) == "table" and list or {})
end

-- Starts the program that asks them.
local function ask(done)
  local bin = require("nvim-acp.config.program").path()
  local ok, job = pcall(vim.system, { bin or "nvim-acp", "ps", "--json" }, { text = true }, done)
  return ok and job or nil
end

--- Calls back with the hosts, the latest first. They have 2 s to answer.
---@param done fun(hosts: acp.DetachedHost[])
function M.list(done)
  local job = M.any() and ask(vim.schedule_wrap(function(out)
    done(decode(out))
  end))
  if not job then
    done({})
  end
end

--- Returns the hosts. It waits for them, 3 s at most.
---@return acp.DetachedHost[]
function M.now()
  local job = M.any() and ask()
  return job and decode(job:wait(3000)) or {}
end

--- Returns the first of the hosts with a session in a folder.
---@param hosts acp.DetachedHost[]
---@param cwd string
---@return acp.DetachedHost?
function M.here(hosts, cwd)
  for _, host in ipairs(hosts) do
    for _, s in ipairs(host.sessions or {}) do
      if s.cwd == cwd then
        return host
      end
    end
  end
end

--- Returns how many requests of a host wait for an answer.
---@param host acp.DetachedHost
---@return integer
function M.pending(host)
  local n = 0
  for _, s in ipairs(host.sessions) do
    n = n + #s.pending
  end
  return n
end

--- Describes a host in a line.
---@param host acp.DetachedHost
---@return string
function M.line(host)
  if host.problem then
    return ("%d  %s"):format(host.pid, host.problem)
  end
  local parts, folders = {}, {}
  for _, s in ipairs(host.sessions) do
    local cwd = vim.fn.fnamemodify(s.cwd, ":~")
    if not vim.tbl_contains(folders, cwd) then
      table.insert(folders, cwd)
    end
    local title = s.title ~= "" and (' "%s"'):format(require("nvim-acp.ui.text").line(s.title, 30)) or ""
    table.insert(parts, ("%s%s %s"):format(s.name, title, s.state))
  end
  local pending = M.pending(host)
  local held = host.neovim ~= 0 and ("  in Neovim %d"):format(host.neovim) or ""
  local waits = pending > 0 and ("  %d to answer"):format(pending) or ""
  return ("%s  %s%s%s"):format(table.concat(folders, " "), table.concat(parts, ", "), waits, held)
end

return M
