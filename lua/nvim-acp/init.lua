--- The public interface. Every function works with no chat window open and returns at once.
local M = {}

local function state()
  require("nvim-acp.listeners")
  return require("nvim-acp.state")
end

local function sessions()
  require("nvim-acp.listeners")
  return require("nvim-acp.sessions")
end

---@param opts { session: string? }?
---@return acp.Session?
local function session(opts)
  local id = opts and opts.session
  if id then
    local found = state().find(id)
    if not found then
      require("nvim-acp.ui.message").error(('no session "%s"'):format(id))
    end
    return found
  end
  return state().current()
end

-- Checks the options once Neovim has started.
local function check()
  require("nvim-acp.bytecode").enable()
  require("nvim-acp.config.setup").check()
  if require("nvim-acp.config").options.start.warm then
    require("nvim-acp.sessions.start").warm()
  end
end

local waits = false

--- Stores options; see :help nvim-acp-config. Optional. They are read when something needs them, or a moment later.
---@param opts acp.Config?
function M.setup(opts)
  require("nvim-acp.config.given").options = opts
  if package.loaded["nvim-acp.config"] then
    require("nvim-acp.config").take(opts)
  end
  if not waits then
    waits = true
    vim.defer_fn(function()
      waits = false
      check()
    end, 50)
  end
end

---@class acp.ChatOptions
---@field agent string?
---@field cwd string?
---@field additional_directories string[]? further folders for a new session
---@field session string?
---@field new boolean?
---@field focus boolean?

--- Opens or focuses a chat, and returns the session's local id at once, while the agent starts. opts.session may be a
--- previous session, by its local or the agent's id.
---@param opts acp.ChatOptions?
---@return string? session nil if there is no such session, or while the user is asked for an agent or folder
function M.chat(opts)
  return sessions().chat(opts or {})
end

--- Sends a prompt, or queues it while a turn runs.
---@param text string
---@param opts { session: string?, context: acp.Context[]? }?
---@return string? session
function M.prompt(text, opts)
  local s = session(opts)
  if not s and opts and opts.session then
    return nil
  end
  local collect, prompt = require("nvim-acp.prompt.collect"), require("nvim-acp.prompt")
  local list = collect.each(s, opts and opts.context)
  if s then
    prompt.send(s, text, list)
    return s.id
  end
  local take, drop = collect.follow(list)
  return require("nvim-acp.sessions.start").session({}, function(to)
    take()
    prompt.send(to, text, list)
  end, drop)
end

--- Stops the running turn.
---@param opts { session: string? }?
function M.cancel(opts)
  local s = session(opts)
  if s then
    require("nvim-acp.prompt").cancel(s)
  end
end

---@param opts { session: string? }?
---@return table? status nil if there is no session
function M.status(opts)
  local s = session(opts)
  return s and state().status(s) or nil
end

---@return table[] one status for each session, oldest first
function M.sessions()
  return vim.tbl_map(function(id)
    return state().status(state().sessions[id])
  end, state().order)
end

--- Answers a pending permission request: opts.id, else the oldest.
---@param option string option id or kind ("allow_once", "allow_always", "reject_once", "reject_always")
---@param opts { session: string?, id: string? }?
---@return boolean answered
function M.permit(option, opts)
  return require("nvim-acp.permission").answer(option, opts or {})
end

--- Sets the mode ("mode"), the model ("model") or a config option by its id.
---@param option string
---@param value string|boolean
---@param opts { session: string? }?
function M.set(option, value, opts)
  local s = session(opts)
  if s then
    state().notify(s, "set", { option = option, value = value })
  end
end

--- Closes a session: cancels its turn, closes it at the agent, and deletes its buffers.
---@param opts { session: string? }?
function M.close(opts)
  local s = session(opts)
  if s then
    sessions().close(s.id)
  end
end

--- Has an agent change lines of a buffer, without a chat. The answer is shown there, to be taken or dropped.
---@param opts acp.EditOptions? { buf, range, instruction, agent, on_done }
---@return string? session nil if the user is asked, or it is not possible
function M.edit(opts)
  require("nvim-acp.listeners")
  return require("nvim-acp.edit").run(opts or {}, "edit")
end

--- Adds context to the prompt being written, without sending it.
---@param context acp.Context { file=, range=, text=, name=, diagnostics=, image=, kind= }
---@param opts { session: string? }?
function M.add(context, opts)
  local s = session(opts)
  if s then
    require("nvim-acp.prompt").add(s, context)
  end
end

--- A short text for a status line: the state of the current session, the number of pending permissions and of changes
--- to review.
---@return string
function M.statusline()
  local text, hunks = require("nvim-acp.chat.winbar").statusline(), require("nvim-acp.review").count()
  return vim.trim(text .. (hunks > 0 and (" %d to review"):format(hunks) or ""))
end

--- Lists the files with changes of agents that wait for a review.
---@param opts { session: string? }?
---@return table[] { session, path, from, kind, hunks, added, removed, unknown }
function M.changes(opts)
  return require("nvim-acp.review").changes(opts and opts.session)
end

--- Keeps changes of agents. Without a scope or lines: the hunk under the cursor.
---@param opts acp.Decision?
function M.keep(opts)
  require("nvim-acp.review").decide("keep", opts or {})
end

--- Takes changes of agents back. Without a scope or lines: the hunk under the cursor.
---@param opts acp.Decision?
function M.revert(opts)
  require("nvim-acp.review").decide("revert", opts or {})
end

--- Lists the texts that agents have put at lines of files, the oldest first.
---@return table[] { session, agent, path, line, text }
function M.annotations()
  return require("nvim-acp.places.annotations").list()
end

--- Lets the sessions of this Neovim go on without it: :AcpDetach.
function M.detach()
  require("nvim-acp.listeners")
  require("nvim-acp.attach").detach()
end

--- Goes on with sessions that were detached: :AcpAttach. Their chats are shown a moment later.
---@param opts { pid: integer? }? the host; nil: the only one of this folder, else the user chooses
function M.attach(opts)
  require("nvim-acp.listeners")
  require("nvim-acp.attach").run(opts and opts.pid)
end

--- Ends the host and takes away all that the plugin has put into the editor, so that it can be loaded anew. Sessions
--- stay in their records, prompts in their drafts. Blocks for a second at most.
function M.deactivate()
  require("nvim-acp.commands.unload").run()
end

--- Gets the program, for plugin managers: returns when it is there, and raises an error if it cannot be had.
function M.build()
  require("nvim-acp.build").run({ wait = true })
end

--- Lets the user choose a turn to go back to: :AcpRewind, or with `files` :AcpUndo.
---@param opts { session: string?, files: boolean? }?
function M.rewind(opts)
  local s = session(opts)
  if s then
    require("nvim-acp.rewind").run(s, not (opts and opts.files))
  elseif not (opts and opts.session) then
    require("nvim-acp.ui.message").warn("there is no chat yet; :AcpChat opens one")
  end
end

---@return table[] { id, session, command, running, exit }
function M.terminals()
  return require("nvim-acp.terminal").list()
end

return M
