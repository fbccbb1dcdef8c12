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
---@field ended boolean? it has ended unexpectedly
---@field left integer? how many processes it had left, which are ended now
---@field log string? path of what it has written to its stderr

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

-- Returns the folder of the sockets. Keep it the same as in host/attach.
local function folder()
  local root = vim.env.XDG_RUNTIME_DIR or ""
  if root:sub(1, 1) == "/" and #root < 60 and vim.fn.isdirectory(root) == 1 then
    return root .. "/nvim-acp"
  end
  root = vim.env.TMPDIR or "/tmp"
  return ("%s/nvim-acp-%d"):format(#root < 60 and root or "/tmp", vim.uv.getuid())
end

-- Returns the paths of what is named by a host's process id: sockets, and records below the state folder of every
-- NVIM_APPNAME.
local function traces()
  local paths = {}
  local folders, states = { folder() }, vim.fs.dirname(vim.fn.stdpath("state"))
  for name in vim.fs.dir(states) do
    table.insert(folders, ("%s/%s/nvim-acp/hosts"):format(states, name))
  end
  for _, dir in ipairs(folders) do
    for name in vim.fs.dir(dir) do
      if name:match("^%d+") then
        table.insert(paths, dir .. "/" .. name)
      end
    end
  end
  return paths
end

--- Reports whether there may be one. It looks at some folders.
---@return boolean
function M.any()
  return #traces() > 0
end

-- Returns the record of a host, nil if the path is that of a socket or the host is of another machine.
local function record(path)
  local ours = path:find("/hosts/%d+%-%x+$") and require("nvim-acp.ui.own").is(path, "file")
  local host = ours and require("nvim-acp.ui.disk").json(path)
  if type(host) == "table" and host.machine == require("nvim-acp.ui.process").machine() then
    return host
  end
end

--- Returns hosts from their records, without asking them. Their sessions have no titles and no states, and a host
--- without a record has only its process id.
---@return acp.DetachedHost[]
function M.recorded()
  local by_pid = {}
  for _, path in ipairs(traces()) do
    local pid = tonumber(vim.fs.basename(path):match("^%d+"))
    local host = record(path)
    local ours = host or not path:find("/hosts/", 1, true)
    if ours and vim.uv.kill(pid, 0) == 0 then -- so that what a killed one has left is not named
      by_pid[pid] = host or by_pid[pid] or { pid = pid, path = path, neovim = 0, sessions = {} }
    end
  end
  local hosts = vim.tbl_filter(function(host)
    return host.neovim ~= vim.fn.getpid()
  end, vim.tbl_values(by_pid))
  table.sort(hosts, function(x, y)
    return x.pid < y.pid
  end)
  return hosts
end

-- Reports what killed hosts have left. Returns the hosts of which there is more to say.
local function report(hosts)
  return vim.tbl_filter(function(host)
    if host.left then
      local text = "host %d was killed; the processes it left are ended: %d"
      require("nvim-acp.ui.message").warn(text:format(host.pid, host.left))
    end
    return not host.ended or host.log ~= nil
  end, hosts)
end

--- Calls back with the hosts that this Neovim is not attached to, the latest first, and those that have ended
--- unexpectedly. They have 2 s to answer.
---@param done fun(hosts: acp.DetachedHost[])
function M.list(done)
  local bin = M.any() and require("nvim-acp.config.program").path()
  if not bin then
    return done({})
  end
  local function listed(out)
    local ok, hosts = pcall(vim.json.decode, out.stdout)
    local problem = vim.trim(out.stderr):gsub("^nvim%-acp: ", "")
    if not ok or problem ~= "" then
      problem = problem ~= "" and problem or ("`nvim-acp ps` ended with status %d"):format(out.code)
      local text = (ok and "not all detached hosts are listed: " or "detached hosts are not listed: ") .. problem
      require("nvim-acp.ui.message").error(text, { "hosts not listed: :messages" })
    end
    hosts = ok and hosts or {}
    done(vim.tbl_filter(function(host)
      return host.neovim ~= vim.fn.getpid()
    end, report(hosts)))
  end
  require("nvim-acp.ui.run").start({ bin, "ps", "--json" }, nil, listed)
end

local glance, fresh = 100, 2000 -- milliseconds
local missed ---@type { hosts: acp.DetachedHost[]?, at: integer? }? the list that M.now waited for in vain

--- Returns the hosts. It waits 100 ms at most; where one has not answered by then, all are as their records say, with
--- a problem. The next call waits for the same list, if that is still under way or has come just before.
---@return acp.DetachedHost[] hosts, boolean complete
function M.now()
  local list = missed
  if not list or list.at and vim.uv.now() - list.at > fresh then
    list = {}
    M.list(function(hosts)
      list.hosts, list.at = hosts, vim.uv.now()
    end)
  end
  vim.wait(glance, function()
    return list.hosts ~= nil
  end, 5)
  missed = not list.hosts and list or nil
  if list.hosts then
    return list.hosts, true
  end
  return vim.tbl_map(function(host)
    host.problem = "has not answered yet"
    return host
  end, M.recorded()),
    false
end

--- Returns the first of the hosts with a session in a folder.
---@param hosts acp.DetachedHost[]
---@param cwd string
---@return acp.DetachedHost?
function M.here(hosts, cwd)
  for _, host in ipairs(hosts) do
    for _, s in ipairs(host.ended and {} or host.sessions) do
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

-- Returns the values of a host's sessions, each once, in a line.
local function each(host, get)
  local out = {}
  for _, s in ipairs(host.sessions) do
    local value = get(s)
    if not vim.tbl_contains(out, value) then
      table.insert(out, value)
    end
  end
  return table.concat(out, " ")
end

--- Describes a host in one line, which begins with what it does not have in common with others.
---@param host acp.DetachedHost
---@param cwd string? folder that is "here"
---@return string
function M.line(host, cwd)
  local where = each(host, function(s)
    return s.cwd == cwd and "here" or vim.fn.pathshorten(vim.fn.fnamemodify(s.cwd, ":~"))
  end)
  if host.ended then
    return ("host %d has ended unexpectedly  %s"):format(host.pid, where)
  elseif host.problem then
    return vim.trim(("host %d %s  %s"):format(host.pid, host.problem, where))
  end
  local agents = each(host, function(s)
    return s.name
  end)
  local parts, room = {}, math.max(math.floor((vim.o.columns - 60) / math.max(#host.sessions, 1)), 30) -- of a title
  for _, s in ipairs(host.sessions) do
    local title = s.title ~= "" and ('"%s" '):format(require("nvim-acp.ui.text").line(s.title, room)) or ""
    table.insert(parts, title .. s.state)
  end
  local pending = M.pending(host)
  local waits = pending > 0 and ("%d to answer  "):format(pending) or ""
  local held = host.neovim ~= 0 and ("  in Neovim %d"):format(host.neovim) or ""
  return ("%s%s%s  %s  %s"):format(waits, table.concat(parts, ", "), held, where, agents)
end

return M
