--- The winbars: who answers, in which mode, how it goes; and the keys of the prompt.
local M = {}

local state = require("nvim-acp.state")

---@type uv.uv_timer_t? runs only while a shown session works
local timer
local tick = 0

-- In winbar and statusline `%{…}` executes, so every `%` of foreign text is doubled.
local function escape(text)
  return (text:gsub("%%", "%%%%"))
end

local function part(group, text)
  return ("%%#%s#%s"):format(group, escape(text))
end

local words = {
  starting = "starting",
  loading = "loading",
  login = "login needed",
  busy = "working",
  waiting = "waiting for you",
  cancelling = "cancelling…",
  disconnected = "disconnected",
}

local function clock(since)
  local seconds = math.floor((vim.uv.now() - since) / 1000)
  return ("%d:%02d"):format(seconds / 60, seconds % 60)
end

local function usage(s)
  local u = s.usage
  if not u or not u.size or u.size == 0 then
    return ""
  end
  local icons = require("nvim-acp.look").icons()
  local share = u.used / u.size
  local full = math.max(0, math.min(5, math.floor(share * 5 + 0.5)))
  local text = ("%s%s %d %%"):format(icons.full:rep(full), icons.empty:rep(5 - full), share * 100)
  if u.cost then
    text = text .. ("  %s%.2f"):format(u.currency == "USD" and "$" or u.currency .. " ", u.cost)
  end
  return part(share > 0.8 and "AcpWarning" or "AcpWinbarDim", "  " .. text)
end

local function right(s)
  local icons = require("nvim-acp.look").icons()
  if s.held and s.held ~= "" then
    return part("AcpPending", ("an edit waits for %s to end "):format(s.held))
  elseif s.state == "idle" then
    return ""
  elseif s.state == "disconnected" then
    return part("AcpError", "disconnected: send a message to start again ")
  elseif s.state == "waiting" then
    return part("AcpPending", icons.ask .. " waiting for you ")
  end
  local spin = icons.spinner[tick % #icons.spinner + 1]
  local time = s.since and " " .. clock(s.since) or ""
  return part("AcpRunning", ("%s %s%s "):format(spin, words[s.state] or s.state, time))
end

---@param s acp.Session
---@return string
function M.text(s)
  local out = part("AcpWinbar", " " .. s.agent_title)
  for _, key in ipairs({ "mode", "model" }) do
    if s[key] then
      out = out .. part("AcpWinbarDim", "  " .. s[key].name)
    end
  end
  return out .. usage(s) .. "%<%=" .. right(s)
end

local function key_hint(s)
  local keys = require("nvim-acp.config").options.keys
  local insert = vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
  local key = insert and keys.send_insert or keys.send_normal
  local hints = key and { key .. " send" } or {}
  if s.state == "busy" or s.state == "waiting" then
    hints = { (key or "") .. " queue", (keys.stop or ":AcpStop") .. " stop" }
  end
  return table.concat(hints, "  ")
end

local function set(win, text)
  if vim.wo[win].winbar ~= text then
    vim.api.nvim_set_option_value("winbar", text, { scope = "local", win = win })
  end
end

local function working(s)
  return s.state ~= "idle" and s.state ~= "disconnected" and s.state ~= "waiting" and s.state ~= "login"
end

local function shown_and_working()
  for _, s in pairs(state.sessions) do
    if working(s) and require("nvim-acp.chat").shown(s) then
      return true
    end
  end
  return false
end

local function spin()
  if not shown_and_working() then
    timer:stop()
    return
  end
  tick = tick + 1
  for _, s in pairs(state.sessions) do
    if working(s) then
      M.draw_transcript(s)
    end
  end
end

---@param s acp.Session
function M.draw_transcript(s)
  local text
  for _, win in ipairs(require("nvim-acp.chat").windows(s, "transcript")) do
    text = text or M.text(s)
    set(win, text)
  end
end

---@param s acp.Session
function M.draw(s)
  M.draw_transcript(s)
  local title = s.title ~= "" and s.title or "message"
  for _, win in ipairs(require("nvim-acp.chat").windows(s, "prompt")) do
    set(win, part("AcpWinbarDim", " " .. title) .. "%<%=" .. part("AcpWinbarDim", key_hint(s) .. " "))
  end
  if working(s) and (not timer or not timer:is_active()) then
    timer = timer or vim.uv.new_timer()
    timer:start(100, 100, vim.schedule_wrap(spin))
  end
end

---@return string
function M.statusline()
  local s = state.current()
  if not s then
    return ""
  end
  local pending = 0
  for _, other in pairs(state.sessions) do
    pending = pending + #other.permissions
  end
  local text = s.agent_title .. " " .. s.state
  if pending > 0 then
    text = text .. (" %d waiting"):format(pending)
  end
  if s.held and s.held ~= "" then
    text = text .. ", an edit waits for " .. s.held .. " to end"
  end
  return escape(text)
end

return M
