--- The functions that the host program calls. It calls no other Lua.
local M = {}

local state = require("nvim-acp.state")

-- Returns a function of another module that loads it with the first call.
local function from(module, name)
  return function(...)
    return require("nvim-acp." .. module)[name](...)
  end
end

-- The same of one that goes to a window, as soon as that is possible.
local function going(module, name)
  return function(...)
    local args = vim.F.pack_len(...)
    require("nvim-acp.ui.deferred").outside(function()
      require("nvim-acp." .. module)[name](vim.F.unpack_len(args))
    end)
  end
end

local function notice(s, event)
  event.data.session = s.id
  if event.name == "AcpError" or event.name == "AcpDisconnected" then
    require("nvim-acp.ui.logfile").write(vim.log.levels.ERROR, ("%s: %s"):format(s.agent, event.data.message))
  end
  require("nvim-acp.ui.try").call(function()
    require("nvim-acp.chat.attention").event(s, event.name, event.data)
    require("nvim-acp.review.notice").event(s, event.name)
    require("nvim-acp.ui.events").emit(event.name, event.data)
  end)
end

-- Applies a frame of one session: f has { session, ops?, reset?, status?, permissions?, later?, events? }. Returns
-- "ok", "redraw" (the buffer is gone: send everything again), "again" (the editor cannot draw now) or "gone" (no
-- such session). Permissions come first, so that an error in drawing does not hide them.
local function frame(f)
  local s = state.sessions[f.session]
  if not s then
    return "gone"
  end
  local answer = "ok"
  local function try(fn, ...)
    local _, result, locked = require("nvim-acp.ui.try").call(fn, ...)
    if locked then
      answer = "again"
    end
    return result
  end
  if f.status or f.events then
    s.news = vim.uv.now()
  end
  if f.status then
    state.push(s, f.status)
  end
  if f.permissions then
    s.permissions, s.later = f.permissions, f.later or 0
    try(require("nvim-acp.permission").update, s)
  end
  if (f.ops or f.reset) and state.hidden(s) then
    s.undrawn = true -- when it is opened all of it is drawn
  elseif f.ops or f.reset then
    if try(require("nvim-acp.chat.draw").draw, s, f.ops or {}, f.reset or false) == false and answer == "ok" then
      answer = "redraw"
    end
  end
  if f.ops or f.reset or f.status then -- the end of a turn may come alone, when all of it is drawn
    try(require("nvim-acp.chat.draw").reset_modified, s)
  end
  if f.status or f.permissions then
    state.announce("changed", s)
  end
  for _, event in ipairs(f.events or {}) do
    notice(s, event)
  end
  return answer
end

--- Applies the frames of all sessions that have changed.
---@param frames table[]
---@return table<string, string> answers by session
function M.frames(frames)
  local answers = vim.empty_dict()
  for _, f in ipairs(frames) do
    answers[f.session] = frame(f)
  end
  require("nvim-acp.ui.spinner").with_frame()
  require("nvim-acp.ui.redraw").at_command_line()
  return answers
end

--- Shows the user a message that belongs to no session.
---@param level "info"|"warn"|"error"
---@param text string
function M.say(level, text)
  require("nvim-acp.ui.message")[level](text)
end

--- Puts unsent prompts back into the prompt buffer, or if the session is closed by now, into the drafts of its folder.
---@param session string
---@param prompts acp.Unsent[]
---@param home { cwd: string, name: string } of the session
---@param mark string of the host
---@return integer pid of this Neovim, 0 if it has them not: its host is another by now
function M.give_back(session, prompts, home, mark)
  local s = state.sessions[session]
  if not require("nvim-acp.rpc").serves(mark) then
    return 0
  elseif s then
    require("nvim-acp.prompt").give_back(s, prompts)
  else
    require("nvim-acp.prompt.orphans").keep(session, prompts, home)
  end
  return vim.fn.getpid()
end

--- Lists the rules of a session, and removes the chosen one.
---@param session string
---@param list { text: string, from: string }[]
function M.rules(session, list)
  local s = state.sessions[session]
  if s then
    going("permission.rules", "pick")(s, list)
  end
end

--- Lists the turns of a session.
---@param session string
---@param turns acp.Turn[]
---@param talk boolean for :AcpRewind
---@param origin string local id of the session that this one goes on from, or ""
function M.turns(session, turns, talk, origin)
  local s = state.sessions[session]
  if s then
    going("rewind", "list")(s, turns, talk, origin)
  end
end

--- Shows what a rewind would do.
---@param session string
---@param plan acp.RewindPlan
function M.rewind(session, plan)
  local s = state.sessions[session]
  if s then
    going("rewind", "plan")(s, plan)
  end
end

--- Goes on in a new session, from before a prompt.
---@param session string
---@param turn string key of the prompt
---@param words string
---@param context table[] what was attached to it
function M.go_on(session, turn, words, context)
  local s = state.sessions[session]
  if s then
    going("sessions", "go_on")(s, turn, words, context)
  end
end

--- Handles the skills of a folder, which the verb "skills" asked for.
---@param why "list"|"show"|"trust"
---@param found acp.Skills
function M.skills(why, found)
  if why == "trust" then
    require("nvim-acp.sessions.trust").found(found)
  else
    require("nvim-acp.sessions.skills").found(why, found)
  end
end

--- Says where merge windows are open, and returns what a prompt needs of the editor: one call for all of it.
---@param i { windows: table, unsaved: boolean, roots: string[], question: { id: integer, text: string, args: table } }
---@param first integer the last buffer that the call before has looked at, 0 for the first
---@return { loaded: string[], next: integer, unsaved: table[], asked: boolean }
function M.inspect(i, first)
  local loaded, next_buf = {}, 0
  if i.windows.n > 0 then
    loaded, next_buf = require("nvim-acp.files.watch").watch(i.windows, first)
  end
  local unsaved = i.unsaved and require("nvim-acp.files.unsaved").list(i.roots) or {}
  local asked = i.question.id > 0
  if asked then
    require("nvim-acp.questions").ask(i.question.id, i.question.text, i.question.args)
  end
  return { loaded = loaded, next = next_buf, unsaved = unsaved, asked = asked }
end

M.show = going("ui.reader", "show")
M.found = from("prompt.source", "found")
M.snapshot = from("files.buffer", "snapshot")
M.lines = from("files.buffer", "lines")
M.share = from("files.buffer", "share")
M.decode = from("files.buffer", "decode")
M.go = from("files.buffer", "go")
M.view = from("files.buffer", "view")
M.disk_changed = from("files.buffer", "disk_changed")
M.edit = from("files.edit", "edit")
M.stage = from("files.edit", "stage")
M.unstage = from("files.edit", "unstage")
M.deleted = from("files.merged", "deleted")
M.save = from("files.unsaved", "save")
M.know = from("questions", "ask")
M.know_not = from("questions", "cancel")
M.propose = going("permission.proposal", "open")
M.settled = going("permission.proposal", "settled")
M.terminals = from("terminal", "update")
M.sessions = going("sessions.pick", "show")
M.log_rows = from("sessions.log", "rows")
M.log_text = from("sessions.log", "text")
M.login = going("sessions.login", "choose")
M.key = from("sessions.key", "answered")
M.edit_show = from("edit", "show")
M.edit_now = from("edit.request", "now")
M.feed = from("terminal", "feed")
M.stays = from("rpc", "stays")
M.detached = from("attach", "detached")
M.attached = from("attach", "attached")
M.taken = from("attach", "taken")
M.moved = from("files.renamed", "moved")
M.names = from("files.renamed", "names")
M.marks = from("review.marks", "draw")
M.colours = from("review.marks", "colour")
M.compare = going("review.compare", "show")
M.review = from("review", "update")

return M
