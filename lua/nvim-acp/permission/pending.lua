--- What is pending: permissions and forms of all sessions.
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

---@type table<string, true> put off by the user
M.hidden = {}

--- All that is pending in all sessions, oldest first.
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

return M
