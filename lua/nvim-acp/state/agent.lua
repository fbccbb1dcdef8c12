--- Restarts agents.
local M = {}

local state = require("nvim-acp.state")

--- Restarts a session's agent. If other sessions of it are running, names them and asks first.
---@param s acp.Session
function M.restart(s)
  local function go()
    s.key_tried = nil
    local spec = require("nvim-acp.config.agents").spec(s.agent)
    state.notify(s, "restart", { agent = spec and require("nvim-acp.config.project").apply(spec, s.cwd) })
  end
  local others = {}
  for _, other in pairs(state.sessions) do
    if other ~= s and other.agent == s.agent and (other.state == "busy" or other.state == "waiting") then
      table.insert(others, other.title ~= "" and other.title or other.id)
    end
  end
  if #others == 0 then
    return go()
  end
  local prompt = ("%s also works on: %s."):format(s.agent_title, table.concat(others, ", "))
  local choose = require("nvim-acp.ui.choose")
  choose.from({ "Restart it", "Leave it running" }, { prompt = prompt, kind = "acp-confirm" }, function(_, i)
    if i == 1 then
      go()
    end
  end)
end

return M
