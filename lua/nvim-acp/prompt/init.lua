--- The prompt: its buffer's text, the queue shown above it, sending and stopping.
local M = {}

local api = vim.api
local state = require("nvim-acp.state")
local ns = api.nvim_create_namespace("nvim-acp.prompt")

---@class acp.Unsent a prompt that was not sent, or failed
---@field id string? by which it comes back once
---@field text string
---@field context table[]? its resolved context

---@type table<integer, boolean> prompt buffers whose windows show lines above the first
local filled = {}
---@type table<string, acp.Unsent> the prompt sent last, by session
local last = {}

-- Draws and stores a prompt as it is edited.
local function follow(s, buf)
  local waits = false
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, _, to)
      require("nvim-acp.prompt.chips").draw(s, buf, first, to)
      require("nvim-acp.prompt.draft").later(s, buf)
      if not waits then
        waits = true
        vim.schedule(function()
          waits = false
          require("nvim-acp.prompt.suggestion").draw(s)
          M.fit(s)
          if last[s.id] and s.error then
            state.announce("typed", s) -- what the key sends
          end
        end)
      end
    end,
    on_detach = function() -- by `:edit`, unless the buffer is deleted
      vim.schedule(function()
        if api.nvim_buf_is_loaded(buf) then
          follow(s, buf)
          M.draw(s) -- scrolls the view to the queue
        end
      end)
    end,
  })
end

-- Sets up a new buffer as the prompt of a session. Returns prompts of before that no host has heard.
local function attach(s, buf)
  require("nvim-acp.prompt.plugins").keep_out(buf)
  require("nvim-acp.prompt.paste").setup()
  local draft = require("nvim-acp.prompt.draft")
  local found = draft.take(s)
  if found then
    require("nvim-acp.prompt.returned").know(s, type(found.back) == "table" and found.back or {})
    require("nvim-acp.prompt.mention").attached(s, type(found.attached) == "table" and found.attached or nil)
    api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(found.text, "\n"))
    require("nvim-acp.prompt.chips").draw(s, buf, 0, api.nvim_buf_line_count(buf))
  end
  follow(s, buf)
  if found then
    draft.save(s, buf, nil, true)
  end
  return found and found.unheard or {}
end

--- Returns the prompt's buffer, which is created if needed.
---@param s acp.Session
---@return integer buf
function M.ensure(s)
  local buffers = require("nvim-acp.state.buffers")
  local buf = buffers.prompt(s)
  if not buf then
    buf = buffers.create(s, "prompt", "acp-prompt")
    local unheard = attach(s, buf)
    require("nvim-acp.prompt.complete").attach(s, buf)
    require("nvim-acp.prompt.typing").follow(buf)
    state.announce("buffer", s, "prompt", buf)
    if #unheard > 0 then
      M.give_back(s, require("nvim-acp.prompt.unacked").of(s, unheard))
      require("nvim-acp.prompt.draft").save(s, buf, nil, true)
    end
  end
  return buf
end

--- Resizes the prompt's windows to its text.
---@param s acp.Session
function M.fit(s)
  local most = require("nvim-acp.config").options.chat.prompt_max
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "prompt")) do
    local rows = math.min(most, api.nvim_buf_line_count(api.nvim_win_get_buf(win)))
    local height = api.nvim_win_text_height(win, { end_row = rows - 1 }).all
    height = height + require("nvim-acp.prompt.suggestion").below(api.nvim_win_get_buf(win))
    height = math.max(2, math.min(most, height))
    local size = require("nvim-acp.prompt.size")
    size.set_height(s, win, height + 1) -- one for the winbar
    size.fill(win)
  end
end

local function empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

-- Inserts a mention at the cursor of the prompt's window, with a space around it where one is missing. The cursor goes
-- behind that: what is typed next is no part of the mention.
local function insert(buf, win, text)
  local row, col = api.nvim_win_get_cursor(win)[1] - 1, api.nvim_win_get_cursor(win)[2]
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  local before = col > 0 and not line:sub(col, col):match("%s") and " " or ""
  local after = line:sub(col + 1, col + 1):match("%s") and "" or " "
  api.nvim_buf_set_text(buf, row, col, row, col, { before .. text .. after })
  api.nvim_win_set_cursor(win, { row + 1, col + #before + #text + 1 })
end

-- Inserts a mention into the prompt: where the user is typing, else on the last line, below the text.
local function put(s, text)
  local buf = M.ensure(s)
  local win = api.nvim_get_current_win()
  if api.nvim_win_get_buf(win) == buf and api.nvim_get_mode().mode:match("^i") then
    return insert(buf, win, text)
  end
  local row = api.nvim_buf_line_count(buf) - 1
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  if require("nvim-acp.prompt.mention").only(line) then
    api.nvim_buf_set_text(buf, row, #line, row, #line, { " " .. text })
  else
    api.nvim_buf_set_lines(buf, row + 1, row + 1, false, { text })
  end
end

--- Adds collected context to the prompt being written, as mentions.
---@param s acp.Session
---@param list table[]
function M.put(s, list)
  require("nvim-acp.ui.deferred").unlocked(function()
    for _, resolved in ipairs(list) do
      put(s, require("nvim-acp.prompt.collect").word(s, resolved))
    end
  end)
end

--- Adds context to the prompt being written.
---@param s acp.Session
---@param context acp.Context
function M.add(s, context)
  M.put(s, require("nvim-acp.prompt.collect").added(s, context))
end

-- Sends a prompt to the host.
local function hand_over(s, text, all)
  local queued, id = s.state ~= "idle" and s.state ~= "disconnected", vim.text.hexencode(vim.uv.random(8))
  local known = s.known and { login_asks = s.known.login_asks, modes_refused = s.known.modes_refused } or nil
  if not state.notify(s, "prompt", { id = id, text = text, context = all, known = known }) then
    return false
  end
  s.placed = nil -- a chat from now on
  require("nvim-acp.prompt.unacked").sent(s, { id = id, text = text, context = all })
  if queued then
    table.insert(s.queue, text)
    table.insert(s.queue_ids, id)
  else
    s.running, s.running_id = text, id
    state.set_state(s, s.state == "disconnected" and "starting" or "busy")
  end
  state.announce("changed", s)
  return true
end

---@param s acp.Session
---@param text string
---@param given table[]
---@return boolean
local function submit(s, text, given)
  local mention = require("nvim-acp.prompt.mention")
  local all = vim.list_extend(mention.resolve(s, text), given)
  if vim.trim(text) == "" and #all == 0 then
    return false
  end
  for _, c in ipairs(all) do
    local problem = require("nvim-acp.prompt.context").refused(s, c)
    if problem then
      require("nvim-acp.ui.message").warn(("%s, so nothing was sent: %s"):format(problem, c.name))
      return false
    end
  end
  if not hand_over(s, text, all) then
    return false
  end
  last[s.id] = { text = text, context = all }
  require("nvim-acp.prompt.history").add(s, text)
  return true
end

--- Sends a prompt, or queues it while a turn runs.
---@param s acp.Session
---@param text string
---@param given table[]? resolved contexts
---@return boolean sent
function M.send(s, text, given)
  given = given or {}
  local sent = submit(s, text, given)
  if not sent and not require("nvim-acp.rpc").running() then
    M.give_back(s, { { text = text, context = given } })
  end
  return sent
end

--- Reports whether the last prompt has failed and the buffer is empty, so that the key sends it again.
---@param s acp.Session
---@return boolean
function M.failed(s)
  local over = s.state == "idle" or s.state == "disconnected"
  return last[s.id] ~= nil and s.error ~= nil and #s.queue == 0 and over and empty(M.ensure(s))
end

-- Changes the text of a prompt also where the user has set 'nomodifiable'.
local function replace(buf, change)
  local editable = vim.bo[buf].modifiable
  vim.bo[buf].modifiable = true
  change()
  vim.bo[buf].modifiable = editable
end

-- Empties a prompt whose text has gone elsewhere.
local function clear(s, buf)
  require("nvim-acp.prompt.mention").attached(s, {})
  replace(buf, function()
    api.nvim_buf_set_lines(buf, 0, -1, false, {})
  end)
  require("nvim-acp.prompt.draft").save(s, buf)
end

-- Shows the end of the transcript: a prompt that is sent is at the end.
local function to_end(s)
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "transcript")) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(api.nvim_win_get_buf(win)), 0 })
  end
end

--- Sends the text of the prompt buffer, and empties it. An empty one sends the last prompt again if that has failed.
---@param s acp.Session
function M.submit(s)
  local buf = M.ensure(s)
  require("nvim-acp.prompt.lines").refresh()
  local text = vim.trim(table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n"))
  if text == "" then
    if M.failed(s) then
      hand_over(s, last[s.id].text, last[s.id].context)
    else
      require("nvim-acp.prompt.suggestion").take(s)
    end
    return
  end
  if submit(s, text, {}) then
    clear(s, buf)
    to_end(s)
    M.draw(s)
  end
end

local function offer_restart(s, why)
  require("nvim-acp.ui.choose").from({ "Restart the agent, keep the session", "Wait" }, {
    prompt = s.agent_title .. why,
    kind = "acp-confirm",
  }, function(_, i)
    if i == 1 then
      require("nvim-acp.state.agent").restart(s)
    end
  end)
end

--- Reports whether a prompt waits that is sent by itself: for a turn's end, the agent's start, a mode or a login.
---@param s acp.Session
---@return boolean
function M.waits(s)
  for i in ipairs(s.queue) do
    if not (s.held or {})[i] then
      return true
    end
  end
  return false
end

--- Stops the running turn, and holds the prompts that wait. A second stop while it is being cancelled, or while one of
--- its calls runs on, offers a restart.
---@param s acp.Session
function M.cancel(s)
  if s.state == "cancelling" then
    offer_restart(s, " has not stopped yet")
  elseif s.state == "idle" and (s.children or 0) > 0 then
    state.notify(s, "cancel") -- ends no turn, but them
  elseif s.state == "idle" and (s.apart or 0) > 0 and not M.waits(s) then
    offer_restart(s, " has stopped, but not all that it has begun")
  elseif s.state == "busy" or s.state == "waiting" then
    state.notify(s, "cancel")
    state.set_state(s, "cancelling")
    state.announce("changed", s)
  elseif s.state ~= "disconnected" then
    state.notify(s, "cancel") -- holds the prompts that wait, and what the host would send by itself
  end
end

-- Returns the text of a prompt with its context.
local function written_again(s, p)
  p.context = p.context or require("nvim-acp.prompt.unacked").context(s, p.id)
  if not p.context and last[s.id] and last[s.id].text == p.text then
    p.context = last[s.id].context
  end
  return require("nvim-acp.prompt.returned").written(s, p.text, p.context)
end

--- Puts unsent prompts back into the prompt buffer, above the draft.
---@param s acp.Session
---@param prompts acp.Unsent[]
function M.give_back(s, prompts)
  local buf, back = M.ensure(s), require("nvim-acp.prompt.returned")
  prompts = back.fresh(s, prompts)
  if #prompts == 0 then
    return
  end
  local texts = vim.tbl_map(function(p)
    return written_again(s, p)
  end, prompts)
  replace(buf, function()
    back.put(s, buf, prompts, texts, empty(buf))
  end)
  filled[buf] = true -- scrolls the view to them
  M.draw(s)
end

--- Moves what is in a session's prompt, with what is attached to it, to the prompt of another session.
---@param from acp.Session
---@param to acp.Session
function M.move(from, to)
  local buf, back = M.ensure(from), require("nvim-acp.prompt.returned")
  local prompts = require("nvim-acp.prompt.draft").all(from, buf)
  M.give_back(to, require("nvim-acp.prompt.unacked").of(to, prompts))
  back.know(to, back.ids(from)) -- also those that were edited
  clear(from, buf)
end

--- Draws the plan and the queue as virtual lines above the prompt's text.
---@param s acp.Session
function M.draw(s)
  local buf = M.ensure(s)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  require("nvim-acp.prompt.suggestion").draw(s)
  local shown = require("nvim-acp.state.buffers").windows(s, "prompt")[1]
  local width = shown and api.nvim_win_get_width(shown) - 3 or 80
  local lines = require("nvim-acp.prompt.queue").lines(s, width)
  local plan = shown and require("nvim-acp.prompt.plan").line(s.plan or {}, width)
  if plan then
    table.insert(lines, 1, plan)
  end
  if #lines > 0 then
    api.nvim_buf_set_extmark(
      buf,
      ns,
      0,
      0,
      { virt_lines = require("nvim-acp.ui.virtual").lines(lines), virt_lines_above = true }
    )
    require("nvim-acp.ui.above").watch(buf, 0)
  end
  if #lines > 0 or filled[buf] then -- lines above the first are visible only if the view scrolls
    filled[buf] = #lines > 0
    for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "prompt")) do
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = 1, topfill = #lines })
      end)
    end
  end
  M.fit(s)
end

---@param s acp.Session
---@param keep boolean? its draft stays on the disk
function M.forget(s, keep)
  last[s.id] = nil
  require("nvim-acp.prompt.queue").close(s, false)
  require("nvim-acp.prompt.mention").forget(s)
  require("nvim-acp.prompt.history").forget(s)
  require("nvim-acp.prompt.returned").forget(s)
  require("nvim-acp.prompt.unacked").forget(s)
  require("nvim-acp.prompt.draft").forget(s, keep)
end

return M
