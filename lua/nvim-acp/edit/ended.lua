--- Sessions of places that are over.
local M = {}

local state = require("nvim-acp.state")

---@type table<string, boolean> sessions whose changes wait for a review; false: these are not known yet
local reviewed = {}

--- Closes a session that is no longer needed. It stays in the list of sessions; its changes are reviewed first.
---@param s acp.Session
---@param wrote boolean? the agent has edited files by itself
function M.close(s, wrote)
  if state.sessions[s.id] ~= s or not state.hidden(s) then
    return
  end
  local known = require("nvim-acp.review").count(s.id) > 0
  if wrote or known then
    reviewed[s.id] = known
  elseif require("nvim-acp.rpc").running() then
    require("nvim-acp.sessions").close(s.id)
  else
    require("nvim-acp.chat").drop(s)
  end
end

require("nvim-acp.review").on_change(function()
  for id, known in pairs(reviewed) do
    local count, s = require("nvim-acp.review").count(id), state.sessions[id]
    if count > 0 then
      reviewed[id] = true
    elseif known or not s then
      reviewed[id] = nil
      if s then
        M.close(s)
      end
    end
  end
end)

return M
