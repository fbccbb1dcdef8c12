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

-- Returns the paths of their sockets.
local function sockets()
  local dir, paths = folder(), {}
  for name in vim.fs.dir(dir) do
    if name:match("^%d+$") then
      table.insert(paths, dir .. "/" .. name)
    end
  end
  return paths
end

--- Reports whether there may be one. It looks at one folder.
---@return boolean
function M.any()
  return #sockets() > 0
end

local patience = 2000 -- milliseconds in which a host must answer

-- Asks a host to describe itself. It calls back with that, with a problem, or with nothing for a host that was killed.
local function ask(path, done)
  local pipe, timer, text = assert(vim.uv.new_pipe()), assert(vim.uv.new_timer()), ""
  local function over(host)
    if not pipe:is_closing() then
      pipe:close()
      timer:close()
      vim.schedule(function()
        done(host)
      end)
    end
  end
  local function fail(problem)
    over({ path = path, pid = tonumber(vim.fs.basename(path)), neovim = 0, sessions = {}, problem = problem })
  end
  timer:start(patience, 0, function()
    fail("it does not answer")
  end)
  pipe:connect(path, function(err)
    if err then
      return over(nil)
    end
    pipe:write(vim.mpack.encode({ 0, 1, "about", {} })) -- a request of msgpack-RPC
    pipe:read_start(function(_, data)
      if not data then
        return fail("it has closed the connection")
      end
      text = text .. data
      local ok, answer = pcall(vim.mpack.decode, text) -- not before it is whole
      if ok and type(answer) == "table" and type(answer[4]) == "table" then
        answer[4].path = path
        over(answer[4])
      end
    end)
  end)
end

--- Calls back with the hosts that this Neovim is not attached to, the latest first. They have 2 s to answer.
---@param done fun(hosts: acp.DetachedHost[])
function M.list(done)
  local paths, hosts = sockets(), {}
  local left = #paths
  if left == 0 then
    return done({})
  end
  for _, path in ipairs(paths) do
    ask(path, function(host)
      left = left - 1
      if host and host.neovim ~= vim.fn.getpid() then
        table.insert(hosts, host)
      end
      if left == 0 then
        table.sort(hosts, function(x, y)
          return (x.since or 0) > (y.since or 0)
        end)
        done(hosts)
      end
    end)
  end
end

--- Returns the hosts. It waits for them, 3 s at most.
---@return acp.DetachedHost[]
function M.now()
  local found
  M.list(function(hosts)
    found = hosts
  end)
  vim.wait(3000, function()
    return found ~= nil
  end, 5)
  return found or {}
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
