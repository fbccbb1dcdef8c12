--- The state of each session: one table that status() reads, written by verbs at once and by the host's frames in
--- order.
local M = {}

---@class acp.Session
---@field id string local id
---@field remote string? the agent's id
---@field agent string
---@field state string "starting" "loading" "login" "idle" "busy" "waiting" "cancelling" "disconnected"
---@field title string
---@field untitled boolean? the title is provisional: the beginning of the first prompt
---@field dirs string[]? further folders
---@field mode table? { id, name }
---@field model table? { id, name }
---@field options table[] { id, name, category, type, value, label, choices = { { value, name, group } } }
---@field commands table[] { name, description, hint }
---@field permissions table[]
---@field later integer how many more the host has, which come when some of these are answered
---@field queue string[]
---@field queue_ids string[]
---@field seen integer? number of the last verb that the host has done
---@field unheard table[]? prompts that were sent since
---@field running string? the prompt of the running turn
---@field usage table? { used, size, cost, currency }
---@field limit table? { share, reached, resets, span }: a limit of the account that is near
---@field suggestion string? what the agent expects as the next prompt
---@field autonomy string? what its mode means, if the agent asks nothing in it
---@field error string?
---@field cwd string
---@field where string? names the place where the agent runs, if that is not here
---@field plan table[]? { text, status }
---@field place { path: string, line: integer }? the location that the agent reads or changes
---@field drawn boolean? its transcript is not empty
---@field undrawn boolean? what came while it had no chat is not in its transcript
---@field lost boolean? the host has ended, and no frame of another has come since
---@field following boolean?
---@field followed table? the location shown by :AcpFollow
---@field sent integer number of the last verb of this session
---@field to_review string[]? what there is to review, as its prompt says, the longest first
---@field apart integer? calls that run on after their turn
---@field children integer? subagents that do something, in a turn or after it
---@field tools ""|"offered"|"connected"|nil the editor's tools at its agent
---@field width integer? cells of a row of its transcript, as the host knows them
---@field placed { kind: "edit"|"ask", path: string }? it was begun at lines of a buffer
---@field key_tried boolean? a key was sent by itself, which happens once
---@field detached table? a host with sessions of this folder, that the empty chat offers, see attach/hosts.lua
---@field since number? when the running turn began, in milliseconds of uv.now()

---@type table<string, acp.Session>
M.sessions = {}
---@type string[] local ids, oldest first
M.order = {}
---@type table<string, table> closed sessions that can be opened again, by local id
M.closed = {}
---@type string? last session used anywhere
M.last = nil

---@return string
function M.new_id()
  local bytes = vim.uv.random(4)
  return (bytes:gsub(".", function(c)
    return ("%02x"):format(c:byte())
  end))
end

---@param agent string
---@param cwd string
---@param id string? local id of a previous session
---@return acp.Session
function M.create(agent, cwd, id)
  local s = {
    id = id or M.new_id(),
    agent = agent,
    agent_title = agent,
    cwd = cwd,
    state = "starting",
    title = "",
    options = {},
    commands = {},
    permissions = {},
    later = 0,
    queue = {},
    queue_ids = {},
    sent = 0,
  }
  M.sessions[s.id] = s
  table.insert(M.order, s.id)
  require("nvim-acp.config.presets").avoid(cwd)
  return s
end

---@param s acp.Session
function M.forget(s)
  M.sessions[s.id] = nil
  M.closed[s.id] = s.remote and { id = s.id, remote = s.remote, agent = s.agent, cwd = s.cwd, dirs = s.dirs or {} }
  M.order = vim.tbl_filter(function(id)
    return id ~= s.id
  end, M.order)
  if M.last == s.id then
    M.last = nil
  end
  M.announce("forgotten", s)
end

---@param s acp.Session
function M.use(s)
  M.last = s.id
  vim.t.acp_session = s.id
end

---@param id string local or agent's id
---@return acp.Session?
function M.find(id)
  if M.sessions[id] then
    return M.sessions[id]
  end
  for _, s in pairs(M.sessions) do
    if s.remote == id then
      return s
    end
  end
end

--- Reports whether a session is for lines of a buffer, and was not opened as a chat.
---@param s acp.Session
---@return boolean
function M.hidden(s)
  return s.placed ~= nil and require("nvim-acp.state.buffers").transcript(s) == nil
end

--- Returns the session for a call that names none: the current window's, else the last used in this tab, else the
--- newest of this folder.
---@return acp.Session?
function M.current()
  local here = M.sessions[vim.b.acp_session or ""] or M.sessions[vim.t.acp_session or ""]
  if here then
    return here
  end
  local cwd = vim.fn.getcwd()
  for i = #M.order, 1, -1 do
    local s = M.sessions[M.order[i]]
    if s.cwd == cwd and not M.hidden(s) then
      return s
    end
  end
end

--- Sends a verb about a session.
---@param s acp.Session
---@param verb string
---@param args table?
---@return boolean sent
function M.notify(s, verb, args)
  args = args or {}
  args.session = s.id
  if verb ~= "open" and verb ~= "close" and not require("nvim-acp.rpc").running() then
    if not M.open(s, nil, { lost = s.drawn or false }) then -- a new host does not have this session
      return false
    end
  end
  local n, problem = require("nvim-acp.rpc").notify(verb, args)
  if n then
    s.sent = n
    return true
  end

  s.error = problem
  M.set_state(s, "disconnected")
  M.announce("changed", s)
  return false
end

---@class acp.Reopening
---@field strict boolean?
---@field fork string?
---@field from string?
---@field cut string?
---@field title string?
---@field lost boolean?

--- Opens a session in the host: at its start, and again in a new host.
---@param s acp.Session
---@param spec table?
---@param more acp.Reopening? if it exists already
---@return boolean
function M.open(s, spec, more)
  spec = spec or require("nvim-acp.config.agents").spec(s.agent)
  spec = spec and require("nvim-acp.config.project").apply(spec, s.cwd)
  for _, dir in ipairs(type(s.dirs) == "table" and s.dirs or {}) do -- a listed session without any has vim.NIL
    require("nvim-acp.config.presets").avoid(dir)
  end
  local args = { agent = spec, cwd = s.cwd, dirs = s.dirs, remote = s.remote, width = s.width or 0, place = s.placed }
  return M.notify(s, "open", vim.tbl_extend("error", args, more or {}))
end

--- Applies the host's status of a session. State that a verb has set here stays until the host has seen that verb.
---@param s acp.Session
---@param status table
function M.push(s, status)
  s.lost = nil
  local behind = status.seen < s.sent
  s.seen = status.seen
  for _, key in ipairs({
    "remote",
    "agent_title",
    "where",
    "title",
    "untitled",
    "last",
    "options",
    "commands",
    "usage",
    "limit",
    "suggestion",
    "error",
    "mode",
    "model",
    "autonomy",
    "plan",
    "place",
    "edit_waits",
    "apart",
    "children",
    "tools",
    "logins",
    "known",
  }) do
    s[key] = status[key]
  end
  s.can = status.can or {}
  if not behind then
    local new = s.since == nil
    M.set_state(s, status.state)
    s.turn, s.running, s.running_id = status.turn, status.running.text, status.running.id
    local since = vim.uv.now() - (status.elapsed or 0)
    if s.turn and s.since and (new or math.abs(s.since - since) > 1000) then -- it may have begun before this Neovim
      s.since = since
    end
    s.queue, s.queue_ids, s.held = status.queue or {}, status.queue_ids or {}, status.held or {}
    s.steered = status.steered or {}
  end
end

---@param s acp.Session
---@param new string
function M.set_state(s, new)
  if (new == "busy" or new == "waiting") and s.since == nil then
    s.since = vim.uv.now()
  elseif new ~= "busy" and new ~= "waiting" and new ~= "cancelling" then
    s.since = nil
  end
  s.state = new
end

---@type table<string, function[]>
local listeners = {}

--- Calls a function at an event. The layers above listen; this one requires none of them.
--- "changed" (s) the status of a session has changed
--- "permissions" (s) its pending permissions have changed
---   "typed" (s)              the text of its prompt has changed
---   "buffer" (s, kind, buf)  a buffer was made, of kind "transcript", "prompt" or "permission"
---   "edited" (s)             a queued prompt goes back into its prompt
---   "host_gone" (how)        the host has "ended", or is "detached"
---   "forgotten" (s)          it was closed
--- "lost" (s, prompts) and disconnected a session with these unsent prompts
---@param event string
---@param fn function
function M.on(event, fn)
  listeners[event] = listeners[event] or {}
  table.insert(listeners[event], fn)
end

---@param event string
---@param ... any
function M.announce(event, ...)
  for _, fn in ipairs(listeners[event] or {}) do
    fn(...)
  end
end

-- Returns the prompts of a session that the host has not sent, or whose turn it has not finished.
local function unsent(s)
  local list = (s.running or "") ~= "" and { { id = s.running_id, text = s.running } } or {}
  vim.list_extend(list, s.steered or {})
  for i, text in ipairs(s.queue) do
    table.insert(list, { id = s.queue_ids[i], text = text })
  end
  return list
end

--- Lets go of what only a host knew that this Neovim has no more. Prompts that it has not sent come back to the user.
---@param s acp.Session
function M.lose(s)
  M.set_state(s, "disconnected")
  local prompts = unsent(s)
  s.permissions, s.later, s.queue, s.queue_ids, s.running, s.unheard = {}, 0, {}, {}, nil, nil
  s.steered = {}
  M.announce("permissions", s)
  M.announce("lost", s, prompts)
  M.announce("changed", s)
end

require("nvim-acp.rpc").on_exit(function(code, tail)
  M.announce("host_gone", "ended")
  local last = tail:match("panic: [^\n]*") or tail:match("fatal error: [^\n]*") or tail:match("[^\n]*$")
  local why = ("the program nvim-acp ended (status %d)%s"):format(code, last ~= "" and ": " .. last or "")

  for _, s in pairs(M.sessions) do
    s.error, s.tools = why, ""
    M.lose(s)
    require("nvim-acp.ui.events").emit("AcpDisconnected", { session = s.id, message = why })
  end

  if code ~= 0 and vim.v.exiting == vim.NIL then
    require("nvim-acp.ui.message").error(why)
  end
end)

---@param s acp.Session
---@return table
function M.status(s)
  return {
    session = s.id,
    agent = s.agent,
    state = s.state,
    title = s.title,
    mode = s.mode and s.mode.id or nil,
    model = s.model and s.model.id or nil,
    options = vim.deepcopy(s.options),
    pending = #s.permissions + s.later,
    queue = vim.deepcopy(s.queue),
    usage = vim.deepcopy(s.usage),
    error = s.error,
    bufnr = require("nvim-acp.state.buffers").transcript(s),
    cwd = s.cwd,
    tools = s.tools or "",
    place = s.placed and s.placed.kind or nil,
  }
end

return M
