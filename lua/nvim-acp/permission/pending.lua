--- The pending permissions and forms of all sessions.
local M = {}

local state = require("nvim-acp.state")

---@class acp.Permission a pending request, as the host sends it
---@field id string
---@field at integer when it came
---@field version integer of the shown text; the host drops an answer to an older one
---@field title string "Claude Code · run a command"
---@field what string the title without who asks
---@field label string right of the title
---@field lines string[]
---@field marks any[] see ui/marks.lua
---@field large integer? bytes that have no room in the float: it can only be rejected
---@field wait boolean? it can be allowed once a file is read
---@field whole boolean the end must have been on the screen before it can be allowed
---@field must integer? how many of the lines that is; nil: all
---@field hang boolean? the lines are rendered Markdown
---@field width integer? columns that the lines are laid out for; nil: any
---@field options { id: string, name: string, kind: string }[]
---@field why string why no rule answers it
---@field files integer number of diffs
---@field edit boolean whether the proposed text can be edited
---@field suggest string[] rules that would allow it
---@field form { fields: table[], page: acp.Page? }? of a form or page
---@field request table for the user's function

---@class acp.Page a web page, as the host has read its address
---@field url string what is opened
---@field address string the same, cut
---@field host string ASCII
---@field notes string[] what to think of before it is opened

---@type table<string, true> hidden by the user
M.hidden = {}

---@type table<string, integer> the versions of those whose text the user edits, in a window
M.edited = {}

--- Returns the pending requests of all sessions, oldest first.
---@return { s: acp.Session, p: acp.Permission }[]
function M.list()
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

local function there(s, id)
  return vim.iter(s.permissions):any(function(p)
    return p.id == id
  end)
end

--- Reports whether a request still waits. If it does not, the user is told that what they have typed or chosen goes
--- nowhere.
---@param s acp.Session
---@param id string
---@param typed string
---@return boolean
function M.waits(s, id, typed)
  local waits = there(s, id)
  if not waits then
    require("nvim-acp.ui.message").warn(("not sent, as the request no longer waits here: “%s”"):format(typed))
  end
  return waits
end

---@type { s: acp.Session, id: string, title: string, place: fun(title: string) }[] floats in which the user types
local typing = {}

--- Asks for a text about a request, in a float that says when that is over: it stays, as the user may be typing there.
---@param s acp.Session
---@param id string
---@param title string
---@param value string?
---@param done fun(text: string)
function M.ask(s, id, title, value, done)
  local place = require("nvim-acp.ui.input").ask(title, value, done)
  table.insert(typing, { s = s, id = id, title = title, place = place })
end

--- Says above what the user types for requests that are over that they are.
function M.look()
  typing = vim.tbl_filter(function(t)
    local waits = there(t.s, t.id)
    if not waits then
      t.place(t.title .. " (no longer asked)")
    end
    return waits
  end, typing)
end

--- Reports whether the user has hidden a request of a session.
---@param s acp.Session
---@return boolean
function M.hides(s)
  return vim.iter(s.permissions):any(function(p)
    return M.hidden[p.id]
  end)
end

--- Returns how many requests of all sessions are pending, also those that the host has not sent yet.
---@return integer
function M.count()
  local n = 0
  for _, s in pairs(state.sessions) do
    n = n + #s.permissions + s.later
  end
  return n
end

return M
