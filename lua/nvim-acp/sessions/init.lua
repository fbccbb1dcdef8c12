--- Live and previous sessions: opened, forked, renamed, deleted, continued in a new one.
local M = {}

local state = require("nvim-acp.state")

---@class acp.SessionRow
---@field id string local id, "" for a session that was never open here
---@field remote string the agent's id
---@field agent string
---@field agent_title string
---@field title string
---@field name string the user's title
---@field cwd string
---@field dirs string[]
---@field time integer unix time, 0: unknown
---@field state string of a live one, else ""
---@field recorded boolean there is a record
---@field in_use boolean open in another Neovim
---@field fork boolean it is a copy of another session
---@field placed { kind: "edit"|"ask", path: string }? the lines that it was begun at
---@field listed string its title as the agent lists it
---@field can { known: boolean, open: boolean, fork: boolean, delete: boolean }

-- Makes a previous session live.
local function revive(row, more)
  local spec, problem = require("nvim-acp.config.agents").spec(row.agent)
  if not spec then
    require("nvim-acp.ui.message").error(problem --[[@as string]])
    return nil
  end
  local s = state.create(row.agent, row.cwd, row.id ~= "" and row.id or nil)
  s.agent_title = spec.title
  s.title, s.dirs, s.placed = row.title or "", row.dirs, row.placed
  s.remote = row.remote ~= "" and row.remote or nil
  s.state = s.remote and "loading" or "starting"
  state.use(s)
  state.open(s, spec, more)
  return s
end

--- Opens a session: goes to the live one, else resumes or loads it.
---@param row acp.SessionRow|table
---@param focus boolean?
---@return string? session local id
function M.open(row, focus)
  local s = state.sessions[row.id] or (row.remote ~= "" and state.find(row.remote)) or nil
  s = s or revive(row, { strict = true, title = row.listed })
  if s then
    require("nvim-acp.chat").open(s, focus ~= false)
  end
  return s and s.id
end

-- Opens a session that is not live by the id given to acp.chat().
---@param opts acp.ChatOptions
---@return string? session local id
local function find(opts)
  local row = require("nvim-acp.sessions.records").find(opts.session)
  if not row then
    local agent = opts.agent or require("nvim-acp.config.agents").default()
    if not agent then
      require("nvim-acp.ui.message").error(("no session %s here; name its agent too"):format(opts.session))
      return nil
    end
    local dirs = opts.additional_directories or {}
    row = { id = "", remote = opts.session, agent = agent, cwd = opts.cwd or vim.fn.getcwd(), dirs = dirs }
  end
  return M.open(row, opts.focus)
end

--- Opens or focuses a chat: acp.chat().
---@param opts acp.ChatOptions
---@return string? session local id
function M.chat(opts)
  local s
  if opts.session then
    s = state.find(opts.session)
    if not s then
      return find(opts)
    end
  elseif not opts.new then
    s = state.current()
    if s and ((opts.agent and opts.agent ~= s.agent) or (opts.cwd and opts.cwd ~= s.cwd)) then
      s = nil
    end
  end

  local focus = opts.focus ~= false
  if s then
    require("nvim-acp.chat").open(s, focus)
    return s.id
  end
  return require("nvim-acp.sessions.start").session(opts, function(new)
    require("nvim-acp.chat").open(new, focus)
  end)
end

--- Closes a session: cancels its turn, closes it at the agent, and deletes its buffers. What is in its prompt is for
--- the next one of the folder.
---@param id string
function M.close(id)
  local s = state.sessions[id]
  if not s then
    return
  end
  require("nvim-acp.prompt.queue").close(s, true) -- what was removed there does not come back
  local buf = require("nvim-acp.state.buffers").prompt(s)
  local left = buf and require("nvim-acp.prompt.draft").all(s, buf) or {}
  state.notify(s, "close")
  require("nvim-acp.chat").drop(s)
  if #left > 0 then
    require("nvim-acp.prompt.orphans").keep(s.id, left, { cwd = s.cwd, name = s.agent_title })
  end
end

--- Creates a session as a copy of another one.
---@param row acp.SessionRow
function M.fork(row)
  local copy = { id = "", remote = "", agent = row.agent, cwd = row.cwd, dirs = row.dirs }
  local s = revive(copy, { fork = row.remote, from = row.id, title = row.title })
  if s then
    require("nvim-acp.chat").open(s, true)
  end
end

--- Creates a session that goes on from an earlier point of another one, whose prompt is there to be edited.
---@param s acp.Session
---@param turn string key of the prompt
---@param words string of the prompt
---@param context table[] what was attached to it
function M.go_on(s, turn, words, context)
  local row = M.row(s)
  local copy = { id = "", remote = "", agent = row.agent, cwd = row.cwd, dirs = row.dirs }
  local new = revive(copy, { fork = row.remote, from = row.id, cut = turn, title = row.title })
  if new then
    require("nvim-acp.chat").open(new, true)
    require("nvim-acp.prompt").give_back(new, { { text = words, context = context } })
  end
end

--- Sets the title of a session; an empty one restores the agent's.
---@param row acp.SessionRow
---@param name string? nil: asks
function M.rename(row, name)
  if not name then
    local prompt = "Title of the session (empty: the agent's)"
    require("nvim-acp.ui.choose").ask({ prompt = prompt, default = row.title }, function(text)
      if text then
        M.rename(row, text)
      end
    end)
    return
  end
  local args = { session = row.id, name = vim.trim(name), title = row.title }
  args.agent, args.remote, args.cwd = row.agent, row.remote, row.cwd
  if row.id == "" then
    args.session = state.new_id()
  end
  require("nvim-acp.rpc").notify("rename", args)
end

--- Deletes a session, the agent's and the record, after a confirmation.
---@param row acp.SessionRow
function M.delete(row)
  local spec = require("nvim-acp.config.agents").spec(row.agent) or { name = row.agent, title = row.agent }
  local title = require("nvim-acp.ui.text").line(row.title ~= "" and row.title or row.id, 50)
  local prompt = ("Delete “%s” for good?"):format(title)
  local choose = require("nvim-acp.ui.choose")
  choose.from({ "Delete it", "Keep it" }, { prompt = prompt, kind = "acp-confirm" }, function(_, i)
    if i ~= 1 then
      return
    end
    local live = state.sessions[row.id]
    local args = { session = row.id, agent = spec, remote = row.remote, cwd = row.cwd }
    require("nvim-acp.rpc").notify("erase", args)
    if live then
      require("nvim-acp.chat").drop(live)
    end
    state.closed[row.id] = nil
  end)
end

--- Shows a record in a window.
---@param row acp.SessionRow
function M.view(row)
  if row.in_use then
    require("nvim-acp.ui.message").info("open in another Neovim: this is its record")
  end
  require("nvim-acp.rpc").notify("view", { session = row.id })
end

--- Creates a session, with the same or another agent, whose first prompt contains the previous transcript.
---@param row acp.SessionRow
---@param agent string? nil: chosen if there are several
function M.continue(row, agent)
  local names = require("nvim-acp.config.agents").installed()
  if not vim.tbl_contains(names, row.agent) then
    table.insert(names, 1, row.agent)
  end
  local function begin(name)
    require("nvim-acp.sessions.start").session({ agent = name, cwd = row.cwd }, function(s)
      require("nvim-acp.chat").open(s, true)
      local title = row.title ~= "" and row.title or "previous session"
      require("nvim-acp.prompt").add(s, { record = row.id, name = require("nvim-acp.ui.text").line(title, 40) })
    end)
  end
  if agent or #names == 1 then
    return begin(agent or names[1])
  end
  require("nvim-acp.ui.choose").from(names, { prompt = "Continue with", kind = "acp-agent" }, function(name)
    if name then
      begin(name)
    end
  end)
end

--- Returns the row of a live session, as in the list.
---@param s acp.Session
---@return table
function M.row(s)
  local can = s.can or {}
  return {
    id = s.id,
    remote = s.remote or "",
    agent = s.agent,
    agent_title = s.agent_title,
    title = s.title,
    cwd = s.cwd,
    dirs = s.dirs or {},
    state = s.state,
    recorded = true,
    can = { known = can.ready or false, open = true, fork = can.fork, delete = can.delete },
  }
end

return M
