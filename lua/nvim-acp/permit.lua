--- Permissions and forms that wait for the user: which there are, in which order, and their answers.
local M = {}

local state = require("nvim-acp.state")

---@class acp.Permission what the host sends
---@field id string
---@field at integer when it was asked
---@field version integer counts what is shown; an answer to an older one is dropped by the host
---@field title string "claude wants to run a command"
---@field label string right of the title
---@field lines string[]
---@field marks any[]
---@field whole boolean the end must have been on screen before it can be allowed
---@field options { id: string, name: string, kind: string }[]
---@field why string why the rules left it to the user
---@field files integer how many diffs there are to step through
---@field edit boolean whether what would be written can be changed before it is allowed
---@field suggest string[] rules that would allow it
---@field form { fields: table[], url: string, host: string }? of what is no permission but a form or a page
---@field request table for the user's function

-- What the user's function was given last, by permission, and whether it has answered.
---@type table<string, { version: integer, request: table, answered: boolean }>
local asked = {}
---@type table<string, true> put off by the user
M.hidden = {}

--- All that is pending in all sessions, oldest first.
---@return { s: acp.Session, p: acp.Permission }[]
function M.pending()
  local all = {}
  for _, id in ipairs(state.order) do
    for _, p in ipairs(state.sessions[id].permissions) do
      table.insert(all, { s = state.sessions[id], p = p })
    end
  end
  table.sort(all, function(a, b)
    return a.p.at < b.p.at
  end)
  return all
end

--- Takes an answered one away at once; the host's next word confirms it.
---@param s acp.Session
---@param p acp.Permission
function M.done(s, p)
  s.permissions = vim.tbl_filter(function(other)
    return other.id ~= p.id
  end, s.permissions)
  M.update(s)
  require("nvim-acp.chat").refresh(s)
end

---@param s acp.Session
---@param p acp.Permission
---@param option string
---@param by "user"|"function"
---@param reason string? why it is rejected, for the agent
function M.send(s, p, option, by, reason)
  local args = { id = p.id, option = option, version = p.version, by = by, reason = reason }
  state.notify(s, "permit", args)
  M.done(s, p)
end

--- Allows what an agent would write, as the user has changed it.
---@param s acp.Session
---@param p { id: string, version: integer, option: string }
---@param text string
function M.allow_edited(s, p, text)
  local args = { id = p.id, option = p.option, version = p.version, by = "user", changed = true, text = text }
  state.notify(s, "permit", args)
  M.done(s, p)
end

local function complain(s, why)
  require("nvim-acp.message").error(why)
  require("nvim-acp.events").emit("AcpError", { session = s.id, message = why })
end

-- Whether the function is to be asked: it was not, or what it was given has changed, or its answer did not count.
local function to_ask(p)
  local last = asked[p.id]
  if not last or last.version == p.version then
    return not last
  end
  return last.answered or not vim.deep_equal(last.request, p.request)
end

-- Asks the user's function. Reports whether it has answered.
local function ask_function(s, p)
  local fn = require("nvim-acp.config").options.permission
  if not fn or p.form or not to_ask(p) then
    return false
  end
  asked[p.id] = { version = p.version, request = p.request, answered = false }
  local request = vim.tbl_extend("force", p.request, { id = p.id, session = s.id, agent = s.agent, cwd = s.cwd })
  local ok, choice = pcall(fn, vim.deepcopy(request))
  if not ok then
    complain(s, "the permission function: " .. tostring(choice))
    return false
  end
  for _, option in ipairs(p.options) do
    if option.id == choice then
      asked[p.id].answered = true
      M.send(s, p, choice, "function")
      return true
    end
  end
  if choice ~= nil then
    complain(s, ("the permission function answered %s, which is not offered"):format(vim.inspect(choice)))
  end
  return false
end

--- Shows one, also if it was put off.
---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
function M.show(s, p, focus)
  M.hidden[p.id] = nil
  require(p.form and "nvim-acp.form" or "nvim-acp.permit_float").show(s, p, focus)
end

--- Goes on to the next or the one before.
---@param id string
---@param by integer
function M.step(id, by)
  local all = M.pending()
  for i, item in ipairs(all) do
    if item.p.id == id then
      local other = all[(i - 1 + by) % #all + 1]
      return M.show(other.s, other.p, true)
    end
  end
end

--- Brings what is shown in line with what is pending.
---@param s acp.Session
function M.update(s)
  for _, p in ipairs(vim.list_extend({}, s.permissions)) do
    if ask_function(s, p) then
      return -- send() comes back here
    end
  end
  local all = M.pending()
  local float = require("nvim-acp.float")
  for _, item in ipairs(all) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, false)
    end
  end
  local entered = float.close()
  for _, item in ipairs(all) do
    if not M.hidden[item.p.id] then
      return M.show(item.s, item.p, entered)
    end
  end
end

--- Finds a new place for the one shown: windows have changed.
function M.refit()
  local float = require("nvim-acp.float")
  for _, item in ipairs(float.open() and M.pending() or {}) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, false)
    end
  end
end

--- Goes to the one shown, else to the oldest, also if it was put off.
function M.focus()
  local all = M.pending()
  if #all == 0 then
    return require("nvim-acp.message").info("nothing is waiting for you")
  end
  for _, item in ipairs(all) do
    if item.p.id == require("nvim-acp.float").id then
      return M.show(item.s, item.p, true)
    end
  end
  M.show(all[1].s, all[1].p, true)
end

-- Answers, and reports whether that counts: the request may have changed, or be over, and Neovim not know it yet. After a stop
-- none does, whichever of the two reaches the host first.
local function send_now(s, p, option)
  local args = { session = s.id, id = p.id, option = option, version = p.version, by = "user" }
  if s.state == "cancelling" or not require("nvim-acp.rpc").ask("permit_now", args) then
    return false
  end
  M.done(s, p)
  return true
end

local function choice(p, option)
  for _, by in ipairs({ "id", "kind" }) do
    for _, o in ipairs(p.options) do
      if o[by] == option then
        return o.id
      end
    end
  end
end

--- Answers by option id or kind, and waits for the host's word.
---@param option string
---@param opts { session: string?, id: string? }
---@return boolean counts whether it was answered so
function M.answer(option, opts)
  for _, item in ipairs(M.pending()) do
    local mine = (opts.id == nil or opts.id == item.p.id) and not item.p.form
    if opts.session then
      mine = mine and state.find(opts.session) == item.s
    end
    if mine then
      local id = choice(item.p, option)
      if not id then
        require("nvim-acp.message").error(("%q is not offered"):format(option))
        return false
      end
      return send_now(item.s, item.p, id)
    end
  end
  return false
end

---@param s acp.Session
function M.forget(s)
  s.permissions = {}
  M.update(s)
end

return M
