--- The connection to the host program: starts it with the first verb, sends notifications, and requests where a caller
--- needs an answer.
local M = {}

--- Version of the interface, incremented when a verb or a function for the host changes; the host has the same number.
M.interface = 12

---@type integer? channel of the running host
local channel
local stderr = {}
local count = 0
local mark = "" -- of the processes of the running host

local function hello()
  local config, store = require("nvim-acp.config").options, require("nvim-acp.config.store")
  return {
    interface = M.interface,
    state_dir = vim.fn.stdpath("state") .. "/nvim-acp",
    fs = config.fs,
    terminal = vim.tbl_extend("force", config.terminal, { env = store.object(config.terminal.env) }),
    chat = { fold_thoughts = config.chat.fold_thoughts, fold_calls = config.chat.fold_calls },
    rules = vim.tbl_map(store.object, config.rules),
    record = config.record,
    usage = config.usage,
    skills = store.object(config.skills),
    tools = config.tools,
    keys = { send_errors = config.keys.send_errors or "" },
    start = store.object(config.start),
    log = vim.tbl_extend("force", config.log, { path = require("nvim-acp.ui.logfile").path() }),
    icons = require("nvim-acp.ui.style").icons(),
    review = config.review,
  }
end

-- Ends the processes of a killed host whose guard was killed too: a guard whose input has ended acts at once.
local function end_processes()
  local path = require("nvim-acp.config.program").path()
  if path then
    local opts = { env = { NVIM_ACP_GUARDED = mark }, detach = true }
    pcall(vim.system, { path, "guard" }, opts) -- the program may have been removed
  end
end

---@type fun(code: integer, stderr: string)[]
local listeners = {}

--- Calls a function whenever the host ends.
---@param fn fun(code: integer, stderr: string) its exit status, and the last lines of its stderr
function M.on_exit(fn)
  table.insert(listeners, fn)
end

local function exited(job, code)
  if job ~= channel then
    return
  end
  channel = nil
  if code ~= 0 then
    end_processes()
  end
  local tail = vim.trim(table.concat(stderr, "\n"))
  for _, listener in ipairs(listeners) do
    listener(code, tail)
  end
end

---@return integer? channel, string? problem
function M.ensure()
  if channel then
    return channel
  end
  local bin = require("nvim-acp.config.program").path()
  if not bin then
    return nil, "the program nvim-acp is not built: run :AcpBuild, or put nvim-acp on your PATH"
  end
  stderr = {}
  mark = vim.text.hexencode(vim.uv.random(16))
  local job = vim.fn.jobstart({ bin }, {
    rpc = true,
    env = { NVIM_ACP_MARK = mark },
    on_stderr = function(_, data)
      vim.list_extend(stderr, data)
      if #stderr > 200 then
        stderr = vim.list_slice(stderr, #stderr - 100)
      end
    end,
    on_exit = exited,
  })
  if job <= 0 then
    return nil, "the program nvim-acp does not start: " .. bin
  end
  channel = job
  vim.rpcnotify(channel, "hello", hello())
  return channel
end

--- Ends the host, and waits for that: a second at most.
function M.stop()
  local job = channel
  channel = nil -- nobody need hear of it
  if job then
    vim.fn.jobstop(job)
    vim.fn.jobwait({ job }, 1000)
  end
end

---@return boolean
function M.running()
  return channel ~= nil
end

local complaining = false

-- Reports why the host cannot start: once for all that a key does, and not where a chat on the screen says so.
local function complain(problem)
  if complaining then
    return
  end
  complaining = true
  vim.schedule(function()
    complaining = false
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.b[vim.api.nvim_win_get_buf(win)].acp_unbuilt then
        return
      end
    end
    require("nvim-acp.ui.message").error(problem)
  end)
end

--- Sends a verb to the host, starting it if needed. Never waits.
---@param verb string
---@param args table
---@return integer? number of this verb, which the host acknowledges as `seen`; nil if the host cannot run
---@return string? problem why it cannot
function M.notify(verb, args)
  local chan, problem = M.ensure()
  if not chan then
    complain(problem)
    return nil, problem
  end
  count = count + 1
  args.n = count
  vim.rpcnotify(chan, verb, args)
  return count
end

--- Asks the host for something that it has in memory. Blocks until the answer.
---@param question string
---@param args table
---@return any answer nil if the host does not run, or cannot say
function M.ask(question, args)
  if not channel then
    return nil
  end
  local ok, answer = pcall(vim.rpcrequest, channel, question, args)
  if ok and answer ~= vim.NIL then
    return answer
  end
end

return M
