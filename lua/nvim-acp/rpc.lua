--- The connection to the host program: starts it with the first verb, sends notifications, and requests where a caller
--- needs an answer.
local M = {}

--- Version of the interface, incremented when a verb, a function for the host or a field changes: that of the host.
M.interface = 28

---@type integer? channel of the running host
local channel
local stderr = {}
---@type string? of a host that was attached: path of what it writes to its stderr
local log
local count = 0
local mark = "" -- of the processes of the running host
---@type acp.Process? of the host, also once its channel was given up
local process
---@type integer? channel of a host that was asked to detach: it does so by itself when this Neovim ends
local parting
---@type string? path of a file by which the host is told the same: one that hangs may not read what it is sent
local word
local obstacle = "" -- why the host cannot live on without this Neovim

--- Returns what a host is told first.
---@return table
function M.hello()
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
    review = config.review.mode,
    session = config.session,
    notify = config.notify,
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

---@type table<integer, fun()> by channel: called when a host ends that was given up for another
local given_up = {}
---@type table<string, boolean> their marks: what they give back is of sessions that are here
local former = {}

-- Returns the last lines of the host's stderr.
local function last_words()
  local text = log and require("nvim-acp.ui.disk").head(log, 64 * 1024) -- a crash is there, and its goroutines follow
  return vim.trim(text or table.concat(stderr, "\n"))
end

local function exited(job, code)
  if given_up[job] then
    given_up[job]()
    given_up[job] = nil
  end
  if job ~= channel then
    return
  end
  M.let_go()
  if code ~= 0 then
    end_processes()
  end
  local tail = last_words()
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
  stderr, log, word, obstacle = {}, nil, nil, ""
  mark = vim.uv.random(16):gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end)
  local job = vim.fn.jobstart({ bin }, {
    rpc = true,
    detach = true, -- a host that was detached outlives Neovim; any other ends with its connection
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
  channel, process = job, require("nvim-acp.ui.process").of(vim.fn.jobpid(job))
  vim.rpcnotify(channel, "hello", M.hello())
  vim.api.nvim_create_autocmd("VimLeave", {
    group = vim.api.nvim_create_augroup("nvim-acp.leave", {}),
    callback = M.leave,
  })
  return channel
end

--- Connects to a host that was detached, by a process of ours that checks whose it is: Neovim executes what it is
--- asked on such a channel.
---@param path string of the host's socket
---@param ended fun(chan: integer, why: string) called when the connection ends
---@return integer? channel
function M.join(path, ended)
  local bin, lines = require("nvim-acp.config.program").path(), {}
  local ok, job = pcall(vim.fn.jobstart, { bin, "attach", path }, {
    rpc = true,
    detach = true, -- it ends with its connection, as the host would
    on_stderr = function(_, data)
      vim.list_extend(lines, data)
    end,
    on_exit = function(chan)
      ended(chan, vim.trim(table.concat(lines, "\n")):gsub("^nvim%-acp: ", ""))
      exited(chan, 1)
    end,
  })
  return ok and job > 0 and job or nil
end

--- Handles what the host says at its start.
---@param path string of the file by which it is told to live on; "" if there is none
---@param problem string why it cannot, with what to do; "" if it can
function M.stays(path, problem)
  word, obstacle = path ~= "" and path or nil, problem
  if problem ~= "" and require("nvim-acp.config").options.session.detach then
    local see = "cannot detach: :checkhealth"
    local shorter = { see .. " nvim-acp says why", see }
    require("nvim-acp.ui.message").warn("session.detach has no effect: " .. problem, shorter)
  end
end

--- Returns why the host cannot live on without this Neovim; nil if it can.
---@return string?
function M.obstacle()
  return channel and obstacle ~= "" and obstacle or nil
end

--- Asks the host to let its sessions go on without this Neovim. It answers with `detached`; until then Neovim's end is
--- not the end of the host.
function M.detach()
  parting = channel
  if word then
    require("nvim-acp.ui.disk").append(word, "")
  end
  M.notify("detach", {})
end

--- Has the host end with Neovim, also if it was asked to detach.
---@param problem string why it cannot detach
function M.keep(problem)
  parting, obstacle = nil, problem
  if word then
    vim.uv.fs_unlink(word)
  end
end

--- Reports whether the host was asked to detach and has not answered.
---@return boolean
function M.parting()
  return channel ~= nil and parting == channel
end

--- Returns the process of the host if it may live on without this Neovim: it was asked to detach, or to do so is
--- configured.
---@return acp.Process?
function M.survivor()
  local stays = require("nvim-acp.config").options.session.detach
  return (not channel or parting == channel or stays) and process or nil
end

--- Gives up the channel of the host, which is not told.
function M.let_go()
  channel = nil
end

--- Ends the host, and waits for that.
---@param most integer? milliseconds; nil: a second
function M.stop(most)
  local chan = channel
  channel = nil -- nobody need hear of it
  if chan then
    pcall(vim.rpcnotify, chan, "quit", vim.empty_dict())
    vim.fn.jobstop(chan)
    vim.fn.jobwait({ chan }, most or 1000)
  end
end

--- Leaves the host as Neovim ends: it ends too, unless it was asked to detach or the configuration has it stay, about
--- which it decides itself.
function M.leave()
  if channel and parting ~= channel and not require("nvim-acp.config").options.session.detach then
    M.stop(2500) -- Neovim kills what has not ended after 2 s
  elseif channel then
    require("nvim-acp.ui.exit").within(channel)
  end
end

--- Uses another host, which has accepted this Neovim.
---@param chan integer its channel
---@param answer { log: string?, mark: string, n: integer, word: string? }
---@param after fun() called when the host of before has ended, or at once if there was none
---@param pid integer of its process
function M.adopt(chan, answer, after, pid)
  local before = channel
  if before then
    former[mark] = true
  end
  channel, mark, count, stderr, log = chan, answer.mark, math.max(count, answer.n), {}, answer.log
  word, obstacle = answer.word, "" -- it listens
  process = require("nvim-acp.ui.process").of(pid)
  vim.api.nvim_create_autocmd("VimLeave", {
    group = vim.api.nvim_create_augroup("nvim-acp.leave", {}),
    callback = M.leave,
  })
  if before then
    given_up[before] = after
    pcall(vim.rpcnotify, before, "quit", vim.empty_dict())
  else
    after()
  end
end

--- Reports whether a host is that of this Neovim, or was given up by it for that.
---@param its string mark of the host
---@return boolean
function M.serves(its)
  return channel ~= nil and (its == mark or former[its] == true)
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
