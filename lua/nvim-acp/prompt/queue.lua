--- The queue: prompts that wait for the end of a turn.
local M = {}

local message = require("nvim-acp.ui.message")

--- Lets the user act on a queued prompt.
---@param s acp.Session
function M.pick(s)
  if #s.queue == 0 then
    return message.info("no prompt is queued")
  end
  local running = s.state ~= "idle" and s.state ~= "disconnected"
  local actions = { running and "Send now, stopping the turn" or "Send now", "Edit", "Move up", "Remove" }
  local verbs = { "now", "edit", "up", "remove" }
  if running and (s.can or {}).steer then
    table.insert(actions, 2, "Send it into the running turn")
    table.insert(verbs, 2, "steer")
  end
  local function act(text, index)
    local prompt = require("nvim-acp.ui.text").line(text, 60)
    vim.ui.select(actions, { prompt = prompt, kind = "acp-action" }, function(_, i)
      if i then
        require("nvim-acp.state").notify(s, "queue", { action = verbs[i], index = index, text = text })
      end
    end)
  end
  if #s.queue == 1 then
    return act(s.queue[1], 1)
  end
  local function line(text)
    return require("nvim-acp.ui.text").line(text, math.max(vim.o.columns - 12, 20))
  end
  vim.ui.select(s.queue, { prompt = "Queued prompts", kind = "acp-queue", format_item = line }, function(text, index)
    if text then
      act(text, index)
    end
  end)
end

--- Returns the virtual lines for the queue above the prompt's text.
---@param s acp.Session
---@return table[]
function M.lines(s)
  local lines = {}
  local key = require("nvim-acp.config").options.keys.queue or ":AcpQueue"
  for i, text in ipairs(s.queue) do
    local word = s.held and s.held[i] and "held" or "queued"
    local line = ("%d %s: %s"):format(i, word, require("nvim-acp.ui.text").line(text, 60))
    local hint = i == 1 and ("   %s send now, edit, remove"):format(key) or ""
    table.insert(lines, { { line, "AcpDone" }, { hint, "AcpKey" } })
  end
  return lines
end

return M
