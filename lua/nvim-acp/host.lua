--- What the host program calls. Each function is one entry; nothing else of Lua is known to it.
local M = {}

local state = require("nvim-acp.state")

-- One frame of one session: new lines, state, permissions, events. f has { session, ops?, reset?, status?,
-- permissions?, events? }; the answer is "ok", "redraw" (send everything again) or "gone" (no such session).
local function frame(f)
  local s = state.sessions[f.session]
  if not s then
    return "gone"
  end
  local answer = "ok"
  if f.status or f.events then
    s.news = vim.uv.now()
  end
  if f.status then
    state.push(s, f.status)
  end
  if f.ops or f.reset then
    if not require("nvim-acp.view").draw(s, f.ops or {}, f.reset or false) then
      answer = "redraw"
    end
  end
  if f.permissions then
    s.permissions = f.permissions
    require("nvim-acp.permit").update(s)
  end
  if f.status or f.permissions then
    require("nvim-acp.chat").refresh(s)
  end
  for _, event in ipairs(f.events or {}) do
    event.data.session = s.id
    require("nvim-acp.attention").event(s, event.name, event.data)
    require("nvim-acp.events").emit(event.name, event.data)
  end
  return answer
end

--- One frame of every session that has something to show.
---@param frames table[]
---@return table<string, string> answers by session
function M.frames(frames)
  local answers = vim.empty_dict()
  for _, f in ipairs(frames) do
    local ok, answer = xpcall(frame, debug.traceback, f)
    if not ok then
      require("nvim-acp.message").error("draw: " .. answer)
    end
    answers[f.session] = ok and answer or "error"
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
  require("nvim-acp.message")[level](text)
end

--- Puts prompts that were not sent back into the prompt buffer.
---@param session string
---@param prompts string[]
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
  require("nvim-acp.scratch").show(name, text, filetype)
end

--- The rules in force: shown, and removed when chosen.
---@param session string
---@param list { text: string, from: string }[]
function M.rules(session, list)
  local s = state.sessions[session]
  if s then
    require("nvim-acp.rules").pick(s, list)
  end
end

-- A function of another module, which is loaded when it is first called.
local function from(module, name)
  return function(...)
    return require("nvim-acp." .. module)[name](...)
  end
end

M.snapshot = from("buffer", "snapshot")
M.lines = from("buffer", "lines")
M.decode = from("buffer", "decode")
M.disk_changed = from("buffer", "disk_changed")
M.edit = from("edit", "edit")
M.stage = from("edit", "stage")
M.unstage = from("edit", "unstage")
M.watch = from("watch", "watch")
M.deleted = from("taken", "deleted")
M.propose = from("propose", "open")
M.terminals = from("terminal", "update")
M.feed = from("terminal", "feed")

return M
