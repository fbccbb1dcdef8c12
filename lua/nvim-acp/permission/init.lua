--- Pending permissions and forms: their order and their answers.
local M = {}

local state = require("nvim-acp.state")

-- The last request given to the user's function, by permission, and whether it has answered.
---@type table<string, { version: integer, request: table, answered: boolean }>
local asked = {}
local pending = require("nvim-acp.permission.pending")

--- Removes an answered request at once; the host's next frame confirms it.
---@param s acp.Session
---@param p acp.Permission
function M.done(s, p)
  s.permissions = vim.tbl_filter(function(other)
    return other.id ~= p.id
  end, s.permissions)
  M.update(s)
  state.announce("changed", s)
end

---@param s acp.Session
---@param p acp.Permission
---@param option string
---@param by "user"|"function"
---@param reason string? reason of a rejection, for the agent
function M.send(s, p, option, by, reason)
  if require("nvim-acp.permission.door").answer(s, p, option, by, reason) then
    M.done(s, p)
  end
end

--- Allows a write with the text that the user has edited.
---@param s acp.Session
---@param p { id: string, version: integer, option: string }
---@param text string
function M.allow_edited(s, p, text)
  require("nvim-acp.permission.door").edited(s, p, text)
  M.done(s, p)
end

local function complain(s, why)
  require("nvim-acp.ui.message").error(why)
  require("nvim-acp.ui.events").emit("AcpError", { session = s.id, message = why })
end

local most = 100 -- requests that are remembered; one that was answered may come once more until the host knows

-- Forgets the requests that are over, where there are many.
local function forget_asked()
  if vim.tbl_count(asked) <= most then
    return
  end
  local open = {}
  for _, item in ipairs(pending.list()) do
    open[item.p.id] = asked[item.p.id]
  end
  asked = open
end

-- Reports whether to call the function: for a new or changed request, or if its answer did not count.
local function to_ask(p)
  local last = asked[p.id]
  if not last or last.version == p.version then
    return not last
  end
  return last.answered or not vim.deep_equal(last.request, p.request)
end

-- Calls the user's function and reports whether it has answered.
local function ask_function(s, p)
  local fn = require("nvim-acp.config").options.permission
  if not fn or p.form or p.large or not to_ask(p) then
    return false
  end
  forget_asked()
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
    complain(s, ("the permission function answered %s, which is not an option"):format(vim.inspect(choice)))
  end
  return false
end

--- Shows a request, also a hidden one.
---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
function M.show(s, p, focus)
  if pending.hidden[p.id] then
    pending.hidden[p.id] = nil
    state.announce("typed", s)
  end
  require("nvim-acp.ui.deferred").unlocked(function()
    local function is(other)
      return other.id == p.id
    end
    if vim.iter(s.permissions):any(is) then
      require(p.form and "nvim-acp.permission.form" or "nvim-acp.permission.request").show(s, p, focus, M)
    end
  end)
end

--- Hides a request until the user asks for it.
---@param id string
function M.later(id)
  pending.hidden[id] = true
  local float = require("nvim-acp.permission.float")
  float.close()
  require("nvim-acp.ui.message").info(("hidden; %s shows it again"):format(float.reach()))
  for _, item in ipairs(pending.list()) do
    if item.p.id == id then
      state.announce("typed", item.s) -- its bar names the key
    end
  end
end

require("nvim-acp.permission.float").hide = M.later
require("nvim-acp.permission.float").again = function(id)
  for _, item in ipairs(pending.list()) do
    if item.p.id == id then
      return M.show(item.s, item.p, false)
    end
  end
end

--- Goes to the next or previous request.
---@param id string
---@param by integer
function M.step(id, by)
  local all = pending.list()
  for i, item in ipairs(all) do
    if item.p.id == id then
      local other = all[(i - 1 + by) % #all + 1]
      return M.show(other.s, other.p, true)
    end
  end
end

--- Updates the float for the pending requests.
---@param s acp.Session
function M.update(s)
  pending.look()
  for _, p in ipairs(s.permissions) do
    if ask_function(s, p) then
      return -- send() comes back here
    end
  end
  local all = pending.list()
  local float = require("nvim-acp.permission.float")
  for _, item in ipairs(all) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, false)
    end
  end
  local entered = float.close()
  for _, item in ipairs(all) do
    if not pending.hidden[item.p.id] and pending.edited[item.p.id] ~= item.p.version then
      return M.show(item.s, item.p, entered)
    end
  end
end

--- Moves the float after windows have changed.
function M.refit()
  local float = require("nvim-acp.permission.float")
  for _, item in ipairs(float.open() and pending.list() or {}) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, false)
    end
  end
end

--- Goes back to a request, if it still waits.
---@param s acp.Session
---@param id string
function M.back(s, id)
  for _, p in ipairs(s.permissions) do
    if p.id == id then
      return M.show(s, p, true)
    end
  end
end

--- Goes to the shown request, else to the oldest, also a hidden one.
function M.focus()
  local all = pending.list()
  if #all == 0 then
    return require("nvim-acp.ui.message").info("nothing is pending")
  end
  require("nvim-acp.permission.float").go()
  for _, item in ipairs(all) do
    if item.p.id == require("nvim-acp.permission.float").id then
      return M.show(item.s, item.p, true)
    end
  end
  M.show(all[1].s, all[1].p, true)
end

-- Answers and reports whether the answer counts: the request may have changed or be over before Neovim knows. After a
-- stop no answer counts, whichever of the two reaches the host first.
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

--- Answers by option id or kind, and waits for the host's confirmation.
---@param option string
---@param opts { session: string?, id: string? }
---@return boolean counts whether the answer counts
function M.answer(option, opts)
  for _, item in ipairs(pending.list()) do
    local mine = (opts.id == nil or opts.id == item.p.id) and not item.p.form
    if opts.session then
      mine = mine and state.find(opts.session) == item.s
    end
    if mine then
      local id = choice(item.p, option)
      if not id then
        local ids = vim.tbl_map(function(o)
          return o.id
        end, item.p.options)
        require("nvim-acp.ui.message").unknown("option", option, ids)
        return false
      end
      return send_now(item.s, item.p, id)
    end
  end
  return false
end

---@param s acp.Session
function M.forget(s)
  s.permissions, s.later = {}, 0
  M.update(s)
end

return M
