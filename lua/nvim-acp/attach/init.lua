--- :AcpDetach and :AcpAttach: sessions that keep running without Neovim.
local M = {}

local state = require("nvim-acp.state")

local function message()
  return require("nvim-acp.ui.message")
end

-- Returns the sessions that are chats.
local function chats()
  return vim.tbl_filter(function(s)
    return not s.placed
  end, vim.tbl_values(state.sessions))
end

-- Removes all sessions from this Neovim. Unsent prompts stay as drafts of the host that goes on with the sessions, with
-- `taken` unless another Neovim has them by now. Returns what was typed since.
local function drop(address, taken)
  local left = {}
  if vim.b.acp_kind and vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
    vim.cmd.stopinsert() -- what is typed on belongs to no other buffer
  end
  for _, s in ipairs(vim.tbl_values(state.sessions)) do
    local prompt = require("nvim-acp.state.buffers").prompt(s)
    local draft = require("nvim-acp.prompt.draft")
    if prompt and taken and not draft.own(s) then
      local home = { cwd = s.cwd, name = s.agent_title }
      table.insert(left, { session = s.id, home = home, prompts = draft.unsaved(s, prompt) })
    elseif prompt then
      draft.save(s, prompt, address or "")
    end
    require("nvim-acp.chat").drop(s, true)
  end
  return left
end

local function titles(list)
  return table.concat(
    vim.tbl_map(function(s)
      return s.title ~= "" and ("%s, %s"):format(s.agent_title, s.title) or s.agent_title
    end, list),
    "; "
  )
end

local function say_detached(list)
  local shorter = { "detached; :AcpAttach goes on with it", "detached; :AcpAttach" }
  message().info("detached; :AcpAttach goes on with " .. titles(list), shorter)
end

---@type fun()? attaches as the host has answered to "detach"
local next_attach

--- Detaches the sessions from this Neovim. The host answers with `detached`.
function M.detach()
  if #chats() == 0 or not require("nvim-acp.rpc").running() then
    return message().warn("there is no session to detach", { "no session to detach" })
  end
  next_attach = nil
  require("nvim-acp.rpc").detach()
end

---@type fun(problem: string|false, address: string?)? called once when the host has answered to "detach"
local waiting

--- Detaches the sessions as Neovim exits. Blocks for at most a second; a host that has not answered until then detaches
--- when it goes on.
---@return string? problem why it cannot
function M.leave()
  local done, list, obstacle, home = false, chats(), nil, nil
  waiting = function(problem, address)
    done, obstacle, home = true, problem or nil, address
  end
  require("nvim-acp.rpc").detach()
  vim.wait(1000, function()
    return done
  end, 5)
  vim.schedule(function() -- not where Neovim ends, which a modified buffer may prevent
    if vim.v.exiting ~= vim.NIL then
      return
    elseif not done then
      waiting = nil
      message().warn("the host has not answered yet; the sessions are detached when it does", {
        "detached once the host answers",
        "detached when it answers",
      })
    elseif not require("nvim-acp.rpc").running() then
      drop(home)
      say_detached(list)
    end
  end)
  return obstacle
end

--- Handles the host's answer to "detach".
---@param problem string|false why it cannot
---@param address string? of the host that lives on
function M.detached(problem, address)
  local heard, attach = waiting, next_attach
  waiting, next_attach = nil, nil
  if problem then
    require("nvim-acp.rpc").keep(problem)
    if heard then
      return heard(problem)
    end
    local see = "not detached: :checkhealth"
    message().error("not detached: " .. problem, { see .. " nvim-acp says why", see })
    return require("nvim-acp.attach.later").run()
  end
  local list = chats()
  require("nvim-acp.prompt.unacked").all_heard()
  require("nvim-acp.rpc").let_go()
  state.announce("host_gone", "detached")
  if heard then
    return heard(false, address)
  end
  drop(address)
  if attach then
    attach()
  else
    say_detached(list)
  end
  require("nvim-acp.attach.later").run()
end

--- Called when another Neovim has attached to the host.
---@param pid integer
---@param address string of the host
---@return { pid: integer, left: table[] } process, and what its prompts have for the other Neovim
function M.taken(pid, address)
  local list, here = chats(), vim.b.acp_kind ~= nil
  require("nvim-acp.rpc").let_go()
  state.announce("host_gone", "detached")
  local left = drop(address, true)
  local text = ("taken over by Neovim %d; :AcpAttach takes back %s"):format(pid, titles(list))
  if here then
    require("nvim-acp.ui.center").hold(text)
  end
  message().warn(text, { ("taken over by Neovim %d; :AcpAttach takes it back"):format(pid), "taken over; :AcpAttach" })
  return { pid = vim.fn.getpid(), left = left }
end

---@type { chan: integer, host: acp.DetachedHost, instead: acp.Session? }? the host that was asked to accept this Neovim
local asked

-- Reports that a host could not be attached, if its channel ends before it has answered.
local function unreachable(chan, why)
  if asked and asked.chan == chan then
    local text = ("host %d is not attached: %s"):format(asked.host.pid, why ~= "" and why or "it has ended")
    asked = nil
    message().error(text, { "not attached: :messages" })
  end
end

-- Stops a host that this plugin cannot talk to, and opens its sessions again.
local function renew(host)
  local bin = require("nvim-acp.config.program").path()
  local function stopped(out)
    if out.code ~= 0 then
      return message().error(("the host %d does not end: %s"):format(host.pid, vim.trim(out.stderr)))
    end
    for _, s in ipairs(host.sessions) do
      if s.remote ~= "" then
        require("nvim-acp.sessions").open({ id = s.id, remote = s.remote, agent = s.agent, cwd = s.cwd, dirs = s.dirs })
      end
    end
  end
  require("nvim-acp.ui.run").start({ bin, "stop", tostring(host.pid) }, nil, stopped)
end

-- Reports that a host has another version, and stops it. Asks first if a running turn would be lost.
local function mismatch(host, interface)
  local text = ("the host %d is of another version (interface %d): "):format(host.pid, interface)
  local busy = vim.iter(host.sessions):any(function(s)
    return s.state == "busy" or s.state == "waiting"
  end)
  if not busy then
    message().warn(text .. "it is ended, and its sessions are resumed")
    return renew(host)
  end
  local choices = { "End it and resume its sessions", "Leave it alone" }
  local choose = require("nvim-acp.ui.choose")
  choose.from(choices, { prompt = text .. "a turn runs in it", kind = "acp-attach" }, function(_, i)
    if i == 1 then
      renew(host)
    end
  end)
end

--- Asks a host to accept this Neovim; it answers with `attached`.
---@param host acp.DetachedHost
---@param opts { take: boolean?, instead: acp.Session? }? take it from another Neovim; in place of this empty session
function M.connect(host, opts)
  opts = opts or {}
  if host.ended then
    local text = ("host %d has ended unexpectedly; :AcpSessions has "):format(host.pid)
    local shorter = { text .. "it", "ended; see :AcpSessions" }
    return message().error(("%sits conversations; see %s"):format(text, vim.fn.fnamemodify(host.log, ":~")), shorter)
  elseif host.problem then
    local text = "the host %d does not answer; nvim-acp stop %d ends it"
    return message().error(text:format(host.pid, host.pid), { ("stuck: nvim-acp stop %d"):format(host.pid) })
  end
  for _, s in pairs(state.sessions) do
    if s.state == "busy" or s.state == "waiting" then
      return message().warn("a turn runs here: stop it or :AcpDetach it first", { ":AcpStop or :AcpDetach first" })
    end
  end
  if host.interface ~= require("nvim-acp.rpc").interface then
    return mismatch(host, host.interface)
  end
  local rpc = require("nvim-acp.rpc")
  local chan = rpc.join(host.path, unreachable)
  if not chan then
    return message().error(("the host %d cannot be attached: the program nvim-acp does not start"):format(host.pid))
  end
  if asked then -- whatever it still says is not heard
    vim.fn.chanclose(asked.chan)
  end
  asked = { chan = chan, host = host, instead = opts.instead }
  vim.rpcnotify(chan, "attach", { hello = rpc.hello(), pid = vim.fn.getpid(), take = opts.take or false })
end

-- Returns the session to show: one with a pending request, else one with a running turn, else the last used.
local function best(list)
  local rank = function(s)
    return (#s.pending > 0 and 2 or s.state == "busy" and 1 or 0) * 2 ^ 40 + s.used
  end
  table.sort(list, function(a, b)
    return rank(a) > rank(b)
  end)
  return list[1]
end

-- Adds the sessions of a host to this Neovim. had are the ids of the prompts that the host has had, by session.
local function take_in(list, had)
  for _, row in ipairs(list) do
    require("nvim-acp.prompt.unacked").heard(row, had[row.id] or {})
    if not state.sessions[row.id] then
      local s = state.create(row.agent, row.cwd, row.id)
      s.agent_title, s.title, s.dirs, s.state = row.name, row.title, row.dirs, row.state
      s.remote = row.remote ~= "" and row.remote or nil
    end
  end
end

-- Reports whether a session has never been used, and nothing is typed in its prompt.
local function unused(s)
  return not (s.drawn or s.remote)
    and #require("nvim-acp.prompt.draft").all(s, require("nvim-acp.prompt").ensure(s)) == 0
end

-- Moves the unsent prompt of an empty session to another session, and removes all empty ones of those that were here.
local function move(from, to, own)
  if from then
    require("nvim-acp.prompt").move(from, to)
  end
  for _, s in ipairs(chats()) do
    if s ~= to and vim.tbl_contains(own, s.id) and (s == from or unused(s)) then
      require("nvim-acp.chat").drop(s)
    end
  end
end

-- Gives back prompts of some sessions that no host has by now: held ones, and those sent since this Neovim has asked.
local function give_back(ids)
  for _, id in ipairs(ids) do
    local s = state.sessions[id]
    if s and ((s.running or "") ~= "" or #s.queue > 0) then
      state.lose(s)
    end
  end
end

--- Handles a host's answer to "attach".
---@param answer table
function M.attached(answer)
  local now = asked
  asked = nil
  if not now then
    return
  end
  local rpc = require("nvim-acp.rpc")
  if answer.interface ~= rpc.interface then
    vim.fn.chanclose(now.chan)
    return mismatch(now.host, answer.interface)
  elseif answer.held > 0 then
    vim.fn.chanclose(now.chan)
    if answer.held == vim.fn.getpid() then -- asked before, over a connection that was given up
      return M.connect(now.host, { take = true, instead = now.instead })
    end
    local choices = { ("Take it from Neovim %d"):format(answer.held), "Leave it there" }
    local choose = require("nvim-acp.ui.choose")
    return choose.from(choices, { prompt = "Attached to another Neovim", kind = "acp-attach" }, function(_, i)
      if i == 1 then
        M.connect(now.host, { take = true, instead = now.instead })
      end
    end)
  end

  local own = vim.tbl_keys(state.sessions)
  state.announce("host_gone", "detached") -- what the host of before had here
  give_back(own)
  rpc.adopt(now.chan, answer, function()
    give_back(own) -- the new host did not know these sessions until now
    for _, id in ipairs(own) do
      local s = state.sessions[id]
      if s and not s.placed then
        state.open(s, nil, { lost = s.drawn or false })
      end
    end
  end, now.host.pid)
  require("nvim-acp.attach.stale").look(answer.sessions)
  take_in(answer.sessions, answer.had)
  local first = best(answer.sessions)
  local s = first and state.sessions[first.id]
  if s then
    require("nvim-acp.ui.try").call(function() -- this Neovim has the host, whether it has room for a window or not
      require("nvim-acp.chat").open(s, true)
      move(now.instead, s, own)
    end)
  end
end

-- Lets the user choose a host: one of this folder is first.
local function pick(hosts)
  local known, cwd = require("nvim-acp.attach.hosts"), vim.fn.getcwd()
  local here, others = {}, {}
  for _, host in ipairs(hosts) do
    table.insert(known.here({ host }, cwd) and here or others, host)
  end
  require("nvim-acp.ui.choose").from(vim.list_extend(here, others), {
    prompt = "Attach to",
    kind = "acp-attach",
    format_item = function(host)
      return known.line(host, cwd)
    end,
  }, function(host)
    if host then
      M.connect(host)
    end
  end)
end

--- Attaches to a host. Without one given: to the only host if it has a session in this folder, else the user chooses.
---@param pid integer? of the host
function M.run(pid)
  if require("nvim-acp.rpc").parting() then -- what is being detached is among the hosts then
    next_attach = function()
      M.run(pid)
    end
    return
  end
  local listed = false
  vim.defer_fn(function()
    if not listed then
      message().info("a detached host has not answered yet", { "a host has not answered" })
    end
  end, 700)
  require("nvim-acp.attach.hosts").list(function(hosts)
    listed = true
    local found = vim.tbl_filter(function(host)
      return pid == nil or host.pid == pid
    end, hosts)
    if #found == 0 then
      local text = pid and ("no detached host %d"):format(pid) or "nothing is detached"
      return message().info(text, {})
    end
    local here = require("nvim-acp.attach.hosts").here(found, vim.fn.getcwd())
    if #found == 1 and (pid or here) then
      return M.connect(found[1])
    end
    pick(found)
  end)
end

--- Attaches to the host that a new chat offers; its session replaces the chat.
---@param s acp.Session
function M.take(s)
  if s.detached then
    M.connect(s.detached, { instead = s })
  else
    message().info("nothing is detached in this folder", { "nothing is detached here" })
  end
end

--- Looks for detached sessions in the folder of a new chat, which then offers to attach.
---@param s acp.Session
function M.offer(s)
  require("nvim-acp.attach.hosts").list(function(hosts)
    s.detached = require("nvim-acp.attach.hosts").here(hosts, s.cwd)
    if s.detached and state.sessions[s.id] then
      require("nvim-acp.chat").refresh(s)
    end
  end)
end

return M
