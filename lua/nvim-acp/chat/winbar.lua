--- The winbars: the agent, its mode and state; and the keys of the prompt.
local M = {}

local state = require("nvim-acp.state")

-- Returns a text on one line, at most that wide.
local function cut(text, width)
  return require("nvim-acp.ui.text").line(text, width)
end

local words = {
  starting = "starting",
  loading = "loading",
  busy = "working",
  cancelling = "cancelling",
}

local function clock(since)
  local seconds = math.floor((vim.uv.now() - since) / 1000)
  return ("%d:%02d"):format(seconds / 60, seconds % 60)
end

-- Returns the chunks of context use and cost.
local function usage(s)
  local u = s.usage
  local known = u and u.size and u.size > 0 -- a conversation that has just begun has a cost at most
  if not u then
    return nil
  end
  local share = known and math.min(u.used / u.size, 9.99) or 0
  if share < 0.01 and not u.cost then
    return nil
  end
  local text = ""
  if known then
    local icons = require("nvim-acp.ui.style").icons()
    local full = math.max(0, math.min(5, math.floor(share * 5 + 0.5)))
    text = ("%s%s %d %%"):format(icons.full:rep(full), icons.empty:rep(5 - full), share * 100)
  end
  if u.cost then
    local currency = cut(u.currency or "", 8)
    local unit = currency == "USD" and "$" or currency == "" and "" or currency .. " "
    text = text .. (known and "  " or "") .. ("%s" .. (u.cost < 1e6 and "%.2f" or "%.3g")):format(unit, u.cost)
  end
  return { share > 0.8 and "AcpWarning" or "AcpWinbarDim", "  " .. text }
end

-- Returns the chunk of a limit of the account that is near, and shorter texts for a narrow window.
local function limit(s)
  local l = s.limit
  if not l or l.resets > 0 and l.resets <= os.time() then
    return nil
  end
  local name = vim.trim(l.span .. " limit")
  local text, short = "near the " .. name, "near " .. name
  if l.reached then
    text, short = name .. " reached", name
  elseif l.share > 0 then
    local share = ("%.0f %% of "):format(l.share * 100)
    text, short = share .. "the " .. name, share .. (l.span ~= "" and l.span or "limit")
  end
  local far = l.resets - os.time() > 20 * 60 * 60
  local at = l.resets > 0 and os.date(far and ", resets %a %H:%M" or ", resets %H:%M", l.resets) or ""
  return { l.reached and "AcpError" or "AcpWarning", "  " .. text .. at }, { "  " .. short .. at, "  " .. short }
end

local function stop_key()
  return require("nvim-acp.config").options.keys.stop or require("nvim-acp.ui.keys").to("AcpStop")
end

-- Returns the chunk of a session that an error has ended, with what to do about it.
local function ended(s)
  if not require("nvim-acp.config.program").path() then
    return { "AcpError", "not built: :AcpBuild " }, { ":AcpBuild ", "not built " }
  elseif not s.error:find("^[^\n]* is not installed[;:]") then
    if (s.remote or "") == "" then -- it has never run
      return { "AcpError", "not started: send to start " }, { "not started " }
    end
    return { "AcpError", "disconnected: send to restart " }, { "disconnected " }
  elseif not require("nvim-acp.install").possible(s.agent) then
    local program = s.error:match("no program (%S+)")
    local why = program and ("no program %s "):format(cut(program:gsub(";$", ""), 40)) or "not installed "
    return { "AcpError", why }, { "not installed " }
  end
  local command = (":AcpInstall %s "):format(cut(s.agent, 20))
  return { "AcpError", "not installed: " .. command }, { command, "not installed " }
end

-- Returns the chunk of the state, and shorter texts for a narrow window.
local function right(s)
  local icons = require("nvim-acp.ui.style").icons()
  if s.edit_waits and s.edit_waits ~= "" then
    return { "AcpPending", ("an edit waits for %s to end "):format(cut(s.edit_waits, 40)) }
  elseif s.state == "idle" and (s.children or 0) > 0 then
    local one = s.children == 1
    local who = one and "a subagent" or s.children .. " subagents"
    local stop = ("%s stops %s "):format(stop_key(), one and "it" or "them")
    local whole = ("%s still %s: %s"):format(who, one and "runs" or "run", stop)
    return { "AcpRunning", whole }, { who .. ": " .. stop, stop }
  elseif s.state == "idle" and (s.apart or 0) > 0 then
    local one = s.apart == 1
    local who, stop = one and "a call" or s.apart .. " calls", stop_key() .. " ends the agent "
    local whole = ("%s still %s: %s"):format(who, one and "runs" or "run", stop)
    return { "AcpRunning", whole }, { who .. ": " .. stop, stop }
  elseif s.state == "idle" and s.mode and s.mode.awaited and require("nvim-acp.prompt").waits(s) then
    local mode = cut(s.mode.name, 30)
    return { "AcpPending", ("the prompt waits for mode %s "):format(mode) }, { ("waits for %s "):format(mode) }
  elseif s.state == "idle" then
    return { "AcpWinbar", "" }
  elseif s.state == "disconnected" and not s.error then
    return { "AcpWinbarDim", "idle: send a prompt to reconnect " }, { "idle: send to reconnect ", "idle " }
  elseif s.state == "disconnected" then
    return ended(s)
  elseif s.state == "waiting" then
    return { "AcpPending", icons.ask .. " waiting for you " }, { icons.ask .. " waiting ", icons.ask .. " " }
  elseif s.state == "login" then
    local key = require("nvim-acp.ui.keys").to("AcpLogin")
    return { "AcpPending", ("%s login needed  %s "):format(icons.ask, key) }, { ("%s %s "):format(icons.ask, key) }
  end
  local silent = s.news and vim.uv.now() - s.news or 0
  local stop = stop_key()
  if s.state == "cancelling" and silent >= 10000 then
    local text = ("not stopping: %s again "):format(stop)
    return { "AcpPending", text .. "restarts the agent " }, { text, "not stopping " }
  elseif s.state == "busy" and silent >= 20000 then
    local what = (": %s stops "):format(stop)
    return { "AcpPending", ("no news for %s%s"):format(clock(s.news), what) }, { "no news" .. what, "no news " }
  end
  local spin = require("nvim-acp.ui.spinner").icon()
  local time = s.since and " " .. clock(s.since) or ""
  return { "AcpRunning", ("%s %s%s "):format(spin, words[s.state] or s.state, time) }, {
    spin .. time .. " ",
    spin .. " ",
  }
end

local order = { "agent", "where", "mode", "model", "limit", "usage", "tools" }

-- Returns the parts at the left, and shorter texts for a limit.
local function head(s)
  local parts = { agent = { "AcpWinbar", " " .. cut(s.agent_title, 40) }, usage = usage(s) }
  if (s.where or "") ~= "" then
    parts.where = { "AcpNotice", "  " .. cut(s.where, 32) }
  end
  for _, key in ipairs({ "mode", "model" }) do
    parts[key] = s[key] and { "AcpWinbarDim", "  " .. cut(s[key].name or "", 24) }
  end
  if s.tools == "connected" then
    parts.tools = { "AcpWinbarDim", "  can use Neovim" }
  end
  local shorter
  parts.limit, shorter = limit(s)
  return parts, shorter or {}
end

local least = 8 -- cells of a mode that are worth to be shown

--- Returns the transcript's winbar. In a narrow window it drops the words "can use Neovim" first, then the usage, the
--- model, the mode, the place, what to do about the state, and the agent's name. A limit is shortened, and goes after
--- the mode.
---@param s acp.Session
---@param width integer
---@return acp.BarPart[]
function M.parts(s, width)
  local state_part, shorter = right(s)
  local parts, limits = head(s)
  shorter = shorter or {}
  local function total()
    local n = vim.api.nvim_strwidth(state_part[2])
    for _, p in pairs(parts) do
      n = n + vim.api.nvim_strwidth(p[2])
    end
    return n
  end
  local function fits()
    return total() + 1 <= width
  end
  local function drop(name)
    if not fits() then
      parts[name] = nil
    end
  end
  -- Puts the longest of some texts that has room in the place of a part's, else the last of them.
  local function shorten(chunk, texts)
    for _, text in ipairs(texts) do
      if not fits() then
        chunk[2] = text
      end
    end
  end

  drop("tools")
  shorten(parts.limit, limits)
  drop("usage")
  drop("model")
  if parts.limit and parts.mode and not fits() then
    local room = vim.api.nvim_strwidth(parts.mode[2]) - 2 - (total() + 1 - width)
    parts.mode[2] = "  " .. cut(s.mode.name or "", math.max(room, least))
  end
  drop("mode")
  if parts.limit then
    shorten(state_part, { shorter[1] })
  end
  drop("limit")
  drop("where")
  shorten(state_part, shorter)
  drop("agent")
  if not next(parts) then
    state_part[2] = (" %s "):format(cut(vim.trim(state_part[2]), math.max(width - 2, 1)))
  end
  local out = {}
  for _, name in ipairs(order) do
    table.insert(out, parts[name])
  end
  table.insert(out, require("nvim-acp.ui.bar").right)
  if require("nvim-acp.chat.unread").waits(s) and total() + 12 <= width then
    table.insert(out, { "AcpUnread", require("nvim-acp.ui.style").icons().below .. " new: G  " })
  end
  table.insert(out, state_part)
  return out
end

-- Returns the hints of the prompt, the most important first.
local function hints(s)
  local keys = require("nvim-acp.config").options.keys
  local there = vim.api.nvim_get_current_buf() == require("nvim-acp.state.buffers").prompt(s)
  local insert = there and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
  local key = insert and keys.send_insert or keys.send_normal
  local send = key or ""
  if s.state == "busy" or (s.state == "waiting" and s.turn) then
    local list = { stop_key() .. " stop", send .. " queue" }
    if keys.focus_permission and require("nvim-acp.permission.pending").hides(s) then
      table.insert(list, 1, keys.focus_permission .. " answer")
    end
    return list
  elseif require("nvim-acp.prompt").failed(s) then
    return { send .. " send again" }
  elseif key and require("nvim-acp.prompt.suggestion").shown(s) then
    return { send .. " take" }
  end
  local list = key and { send .. " send" } or {}
  table.insert(list, "@ context")
  if #s.commands > 0 then
    table.insert(list, "/ commands")
  end
  return list
end

-- Returns the hints that fit beside a title, the most important one at the right.
local function hint_text(list, room)
  local text = ""
  for i, hint in ipairs(list) do
    local longer = i == 1 and hint or hint .. "   " .. text
    if i > 1 and vim.api.nvim_strwidth(longer) > room then
      break
    end
    text = longer
  end
  return text .. " "
end

local function set(win, parts)
  require("nvim-acp.ui.bar").set(win, "winbar", parts)
end

local function working(s)
  return s.state ~= "idle" and s.state ~= "disconnected" and s.state ~= "waiting" and s.state ~= "login"
end

---@param s acp.Session
function M.draw_transcript(s)
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "transcript")) do
    local width = vim.api.nvim_win_get_width(win)
    local _, parts = require("nvim-acp.ui.try").call(M.parts, s, width)
    set(win, parts or { { "AcpWinbar", " " .. cut(s.agent_title, width - 2) } })
  end
end

-- Draws the spinners of the sessions that are at work, and reports whether one of them is to be seen.
local function spin()
  local seen = false
  for _, s in pairs(state.sessions) do
    if working(s) and require("nvim-acp.state.buffers").shown(s) then
      seen = true
      M.draw_transcript(s)
    end
  end
  return seen
end

-- Draws the prompt's winbar: what there is to review at the left, the keys of the prompt at the right.
local function draw_prompt(s)
  local list, review = hints(s), s.state == "idle" and s.to_review or nil
  list = review and { list[1] } or list
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "prompt")) do
    local width = vim.api.nvim_win_get_width(win)
    local short = review and vim.api.nvim_strwidth(review[#review]) or 0
    local hint = cut(hint_text(list, width - short - 2), width)
    if review and short + vim.api.nvim_strwidth(hint) + 3 > width and not require("nvim-acp.prompt").failed(s) then
      hint = "" -- the key that sends is known by then
    end
    local room = width - vim.api.nvim_strwidth(hint) - 3
    local left = ""
    for _, text in ipairs(review or {}) do
      if left == "" and vim.api.nvim_strwidth(text) <= room then
        left = " " .. text
      end
    end
    local bar = require("nvim-acp.ui.bar")
    local group = review and "AcpKey" or "AcpWinbarDim"
    set(win, { { group, left }, bar.cut, bar.right, { "AcpWinbarDim", hint } })
  end
end

---@param s acp.Session
function M.draw(s)
  M.draw_transcript(s)
  require("nvim-acp.ui.try").call(draw_prompt, s)
  if working(s) then
    require("nvim-acp.ui.spinner").show(spin)
  end
end

require("nvim-acp.chat.unread").on_change(M.draw_transcript)

---@return string
function M.statusline()
  local s, pending = state.current(), require("nvim-acp.permission.pending").count()
  local waiting = pending > 0 and ("%d waiting"):format(pending) or nil
  if not s then
    return waiting and "agents " .. waiting or ""
  end
  local text = cut(s.agent_title, 40) .. " " .. s.state .. (waiting and " " .. waiting or "")
  if s.edit_waits and s.edit_waits ~= "" then
    text = text .. ", an edit waits for " .. cut(s.edit_waits, 40) .. " to end"
  end
  return require("nvim-acp.ui.bar").format({ text })
end

return M
