--- What the host program calls. Each function is one entry; nothing else of Lua is known to it.
local M = {}

local state = require("nvim-acp.state")

local function notice(s, event)
  event.data.session = s.id
  if event.name == "AcpError" or event.name == "AcpDisconnected" then
    require("nvim-acp.ui.logfile").write(vim.log.levels.ERROR, ("%s: %s"):format(s.agent, event.data.message))
  end
  require("nvim-acp.ui.try").call(function()
    require("nvim-acp.chat.attention").event(s, event.name, event.data)
    require("nvim-acp.ui.events").emit(event.name, event.data)
  end)
end

-- One frame of one session: state, permissions, new lines, events. f has { session, ops?, reset?, status?,
-- permissions?, events? }; the answer is "ok", "redraw" (the buffer is gone: send everything again), "again" (the
-- editor could not take it now) or "gone" (no such session). Permissions come first: whatever else goes wrong, they
-- are to be seen.
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
    s.permissions = f.permissions
    try(require("nvim-acp.permission").update, s)
  end
  if f.ops or f.reset then
    if try(require("nvim-acp.chat.draw").draw, s, f.ops or {}, f.reset or false) == false and answer == "ok" then
      answer = "redraw"
    end
  end
  if f.status or f.permissions then
    state.announce("changed", s)
  end
  for _, event in ipairs(f.events or {}) do
    notice(s, event)
  end
  return answer
end

--- One frame of every session that has something to show.
---@param frames table[]
---@return table<string, string> answers by session
function M.frames(frames)
  local answers = vim.empty_dict()
  for _, f in ipairs(frames) do
    answers[f.session] = frame(f)
  end
  if vim.api.nvim_get_mode().mode:sub(1, 1) == "c" then
    vim.cmd.redraw() -- nothing else is drawn at the command line
  end
  return answers
end

--- Something to tell the user outside any session.
---@param level "info"|"warn"|"error"
---@param text string
function M.say(level, text)
  require("nvim-acp.ui.message")[level](text)
end

--- Puts prompts that were not sent back into the prompt buffer.
---@param session string
---@param prompts acp.Unsent[]
function M.give_back(session, prompts)
  local s = state.sessions[session]
  if s then
    require("nvim-acp.prompt").give_back(s, prompts)
  end
end

--- Opens text in a scratch window: a log, an export, the whole of a long block.
---@param name string
---@param text string[]
---@param filetype string
function M.show(name, text, filetype)
  require("nvim-acp.ui.reader").show(name, text, filetype)
end

--- The rules in force: shown, and removed when chosen.
---@param session string
---@param list { text: string, from: string }[]
function M.rules(session, list)
  local s = state.sessions[session]
  if s then
    require("nvim-acp.permission.rules").pick(s, list)
  end
end

--- The skills of a folder, which were asked for.
---@param why "list"|"show"|"trust"
---@param found acp.Skills
function M.skills(why, found)
  if why == "trust" then
    require("nvim-acp.sessions.trust").found(found)
  else
    require("nvim-acp.sessions.skills").found(why, found)
  end
end

-- A function of another module, which is loaded when it is first called.
local function from(module, name)
  return function(...)
    return require("nvim-acp." .. module)[name](...)
  end
end

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
M.watch = from("files.watch", "watch")
M.deleted = from("files.merged", "deleted")
M.propose = from("permission.proposal", "open")
M.settled = from("permission.proposal", "settled")
M.terminals = from("terminal", "update")
M.sessions = from("sessions.pick", "show")
M.log_rows = from("sessions.log", "rows")
M.log_text = from("sessions.log", "text")
M.login = from("sessions.login", "choose")
M.feed = from("terminal", "feed")

return M
