--- Login methods that take a key: it is asked for, kept, and sent to the agent.
local M = {}

local function keys()
  return require("nvim-acp.config.keys")
end

---@param s acp.Session
---@param method string id
---@param key string "" if the agent is to find one itself
---@param new boolean? it is kept once the agent has taken it
local function send(s, method, key, new)
  s.key_tried = true
  s.key_sent = key ~= "" and { method = method, key = key, new = new, asks = s.known.login_asks } or nil
  require("nvim-acp.state").notify(s, "login", { method = method, asked = true, key = key })
end

-- Asks for a key, keeps it and logs in with it.
local function enter(s, method)
  local title = ("%s for %s (empty: it looks for one itself)"):format(method.name, s.agent_title)
  require("nvim-acp.ui.secret").ask(title, function(key)
    send(s, method.id, key, true)
  end)
end

local function keep(s, sent)
  keys().keep(s.agent, sent.method, sent.key, function(safe)
    local message = require("nvim-acp.ui.message")
    if safe then
      message.info("stored in your keyring; :AcpLogin can remove it")
    else
      message.info("kept until Neovim quits: no keyring found")
    end
  end)
end

local function refused(s, sent)
  s.key_sent = nil
  if not sent.new then
    keys().refused(s.agent, sent.method)
    local text = "%s rejects the stored key; :AcpLogin asks again"
    require("nvim-acp.ui.message").warn(text:format(s.agent_title))
  end
end

-- Decides what becomes of a key that an agent has answered: it is kept when the session goes on, since some agents take
-- any key and ask again when they need it.
local function judge(s)
  local sent = s.key_sent
  if not sent or not sent.taken then
    return
  elseif s.state == "idle" or s.state == "busy" then
    s.key_sent = nil
    if sent.new then
      keep(s, sent)
    end
  elseif s.state == "login" and s.known.login_asks ~= sent.asks then
    refused(s, sent)
  end
end

--- Called with an agent's answer to a key.
---@param session string
---@param method string
---@param taken boolean
function M.answered(session, method, taken)
  local s = require("nvim-acp.state").sessions[session]
  local sent = s and s.key_sent
  if not sent or sent.method ~= method then
    return
  elseif not taken then
    return refused(s, sent)
  end
  sent.taken = true
  judge(s)
end

--- Logs in with the key that is kept, or asks for one.
---@param s acp.Session
---@param method acp.LoginMethod
function M.take(s, method)
  if not vim.tbl_contains(keys().methods(s.agent), method.id) then
    return enter(s, method)
  end
  local choices = { "Use the key that is kept", "Enter another", "Forget it" }
  require("nvim-acp.ui.choose").from(choices, { prompt = method.name, kind = "acp-login" }, function(_, i)
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
      require("nvim-acp.ui.message").info("forgotten here; the agent may have stored it itself")
    end
  end)
end

--- Looks at a session that has changed. One that waits for a login, and whose key is kept, is logged in, once: an agent
--- that asks again is not answered by itself.
---@param s acp.Session
function M.again(s)
  judge(s)
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
