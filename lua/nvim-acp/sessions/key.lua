--- Login methods that take a key: it is asked for, kept, and sent to the agent.
local M = {}

local function keys()
  return require("nvim-acp.config.keys")
end

---@param s acp.Session
---@param method string id
---@param key string "" if the agent is to find one itself
local function send(s, method, key)
  s.key_tried = true
  require("nvim-acp.state").notify(s, "login", { method = method, asked = true, key = key })
end

-- Asks for a key, keeps it and logs in with it.
local function enter(s, method)
  local title = ("%s for %s (empty: it looks for one itself)"):format(method.name, s.agent_title)
  require("nvim-acp.ui.secret").ask(title, function(key)
    send(s, method.id, key)
    if key == "" then
      return
    end
    keys().keep(s.agent, method.id, key, function(safe)
      local message = require("nvim-acp.ui.message")
      if safe then
        message.info("kept in your system's keyring; :AcpLogin forgets it")
      else
        message.info("kept until this Neovim ends: no keyring takes it")
      end
    end)
  end)
end

--- Logs in with the key that is kept, or asks for one.
---@param s acp.Session
---@param method acp.LoginMethod
function M.take(s, method)
  if not vim.tbl_contains(keys().methods(s.agent), method.id) then
    return enter(s, method)
  end
  local choices = { "Use the key that is kept", "Enter another", "Forget it" }
  vim.ui.select(choices, { prompt = method.name, kind = "acp-login" }, function(_, i)
    if i == 1 then
      keys().find(s.agent, method.id, function(key)
        if key then
          send(s, method.id, key)
        else
          enter(s, method)
        end
      end)
    elseif i == 2 then
      enter(s, method)
    elseif i == 3 then
      keys().forget(s.agent, method.id)
      require("nvim-acp.ui.message").info("forgotten here; the agent's own files may still have it")
    end
  end)
end

--- Logs a session in that waits for it and whose key is kept, once: an agent that asks again is not answered by itself.
---@param s acp.Session
function M.again(s)
  if s.state ~= "login" or s.key_tried then
    return
  end
  local kept = keys().methods(s.agent)
  for _, method in ipairs(s.logins or {}) do
    if vim.tbl_contains(kept, method) then
      s.key_tried = true
      return keys().find(s.agent, method, function(key)
        if key and s.state == "login" then
          send(s, method, key)
        end
      end)
    end
  end
end

return M
