--- The prompt: its buffer's text, the queue shown above it, sending and stopping.
local M = {}

local api = vim.api
local state = require("nvim-acp.state")
local ns = api.nvim_create_namespace("nvim-acp.prompt")

---@class acp.Context
---@field file string? path of a file
---@field range { [1]: integer, [2]: integer }? 1-based first and last line
---@field text string? text instead of a file's
---@field name string? what to call it
---@field diagnostics boolean? the diagnostics of the file (or of the current buffer)
---@field image string? path of an image
---@field record string? local id of an earlier session

---@type table<string, acp.Context[]> context waiting to go with the next prompt
local waiting = {}
---@type table<integer, boolean> prompt buffers whose windows show lines above the first
local filled = {}

---@param s acp.Session
---@param buf integer
function M.attach(s, buf)
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      vim.schedule(function()
        M.fit(s)
      end)
    end,
  })
end

--- Grows and shrinks the prompt's windows with its text.
---@param s acp.Session
-- Whether a window has another above or below it: else its height is that of a whole row of windows, or of the screen.
local function stacked(win)
  local function within(node, parent)
    if node[1] == "leaf" then
      return node[2] == win and parent == "col"
    end
    for _, child in ipairs(node[2]) do
      if within(child, node[1]) then
        return true
      end
    end
    return false
  end
  return within(vim.fn.winlayout(api.nvim_tabpage_get_number(api.nvim_win_get_tabpage(win))), nil)
end

function M.fit(s)
  local most = require("nvim-acp.config").options.chat.prompt_max
  for _, win in ipairs(require("nvim-acp.chat").windows(s, "prompt")) do
    local height = api.nvim_win_text_height(win, {}).all
    height = math.max(2, math.min(most, height))
    if api.nvim_win_get_config(win).relative == "" and stacked(win) and api.nvim_win_get_height(win) ~= height + 1 then
      api.nvim_win_set_height(win, height + 1) -- one for the winbar
    end
  end
end

local function diagnostics(buf)
  local lines = {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    local severity = vim.diagnostic.severity[d.severity]
    table.insert(lines, ("%d:%d %s %s"):format(d.lnum + 1, d.col + 1, severity, d.message))
  end
  return lines
end

--- The text of a file as the user has it: of its buffer if it is loaded.
local function buffer_text(path, range)
  local buf = require("nvim-acp.buffer").find(path)
  if not buf then
    return nil
  end
  local first, last = 0, -1
  if range then
    first, last = range[1] - 1, range[2]
  end
  local lines = api.nvim_buf_get_lines(buf, first, last, false)
  return table.concat(lines, "\n") .. "\n"
end

---@param c acp.Context
---@return table
local function resolve(c)
  local path = c.file and vim.fn.fnamemodify(c.file, ":p") or nil
  local name = c.name or (path and vim.fn.fnamemodify(path, ":.")) or "text"
  local out = { path = path, name = name, text = c.text, image = c.image and vim.fn.fnamemodify(c.image, ":p") or nil }
  out.record = c.record
  if c.range then
    out.first, out.last = c.range[1], c.range[2]
  end
  if c.diagnostics then
    local buf = path and require("nvim-acp.buffer").find(path) or api.nvim_get_current_buf()
    local lines = diagnostics(buf)
    out.text = #lines > 0 and table.concat(lines, "\n") or "no diagnostics"
    out.name = ("diagnostics(%d)"):format(#lines)
    out.path = nil
  elseif path and not out.text and not out.image then
    out.text = buffer_text(path, c.range)
  end
  return out
end

--- Adds context to the prompt being written.
---@param s acp.Session
---@param context acp.Context
function M.add(s, context)
  waiting[s.id] = waiting[s.id] or {}
  table.insert(waiting[s.id], resolve(context))
  M.draw(s)
end

--- Files named as @path in a prompt, where they exist.
local function mentioned(s, text)
  local found = {}
  for word in text:gmatch("@([^%s@]+)") do
    local path = vim.fs.joinpath(s.cwd, word)
    if word:sub(1, 1) == "/" then
      path = word
    end
    local stat = vim.uv.fs_stat(path)
    if stat and stat.type == "file" then
      table.insert(found, resolve({ file = path, name = word }))
    end
  end
  return found
end

---@param s acp.Session
---@param text string
---@param resolved table[]
---@return boolean
local function submit(s, text, resolved)
  local all = vim.list_extend(mentioned(s, text), resolved)
  if vim.trim(text) == "" and #all == 0 then
    return false
  end
  local queued = s.state ~= "idle" and s.state ~= "disconnected"
  if not state.notify(s, "prompt", { text = text, context = all }) then
    return false
  end
  if queued then
    table.insert(s.queue, text)
  else
    s.running = text
    state.set_state(s, s.state == "disconnected" and "starting" or "busy")
  end
  require("nvim-acp.chat").refresh(s)
  return true
end

--- Sends a prompt, or queues it while a turn runs.
---@param s acp.Session
---@param text string
---@param context acp.Context[]?
---@return boolean sent
function M.send(s, text, context)
  return submit(s, text, vim.tbl_map(resolve, context or {}))
end

--- Sends what stands in the prompt buffer, and empties it.
---@param s acp.Session
function M.submit(s)
  local buf = require("nvim-acp.chat").ensure_prompt(s)
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  if not submit(s, text, waiting[s.id] or {}) then
    return
  end
  waiting[s.id] = nil
  api.nvim_buf_set_lines(buf, 0, -1, false, {})
  M.draw(s)
end

--- Stops the running turn; a second stop while it is being stopped offers a restart.
---@param s acp.Session
function M.cancel(s)
  if s.state == "cancelling" then
    vim.ui.select({ "Restart the agent, keep the session", "Wait" }, {
      prompt = s.agent_title .. " has not stopped yet",
    }, function(_, i)
      if i == 1 then
        require("nvim-acp.start").restart(s)
      end
    end)
  elseif s.state == "busy" or s.state == "waiting" then
    state.notify(s, "cancel")
    state.set_state(s, "cancelling")
    require("nvim-acp.chat").refresh(s)
  end
end

--- Puts prompts that were not sent back into the prompt buffer, above what is being written.
---@param s acp.Session
---@param prompts string[]
function M.give_back(s, prompts)
  if #prompts == 0 then
    return
  end
  local buf = require("nvim-acp.chat").ensure_prompt(s)
  local text = table.concat(prompts, "\n\n")
  local lines = vim.split(text, "\n")
  local empty = api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  local editable = vim.bo[buf].modifiable
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, empty and -1 or 0, false, lines)
  vim.bo[buf].modifiable = editable
end

--- Lets the user do something to a prompt that waits.
---@param s acp.Session
function M.pick_queue(s)
  if #s.queue == 0 then
    return require("nvim-acp.message").info("no prompt is waiting")
  end
  local running = s.state ~= "idle" and s.state ~= "disconnected"
  local actions = { running and "Send now, stopping the turn" or "Send now", "Edit", "Move up", "Remove" }
  local verbs = { "now", "edit", "up", "remove" }
  if running and (s.can or {}).steer then
    table.insert(actions, 2, "Send it into the turn that runs")
    table.insert(verbs, 2, "steer")
  end
  local function act(text, index)
    vim.ui.select(actions, { prompt = require("nvim-acp.message").line(text, 60) }, function(_, i)
      if i then
        state.notify(s, "queue", { action = verbs[i], index = index, text = text })
      end
    end)
  end
  if #s.queue == 1 then
    return act(s.queue[1], 1)
  end
  vim.ui.select(s.queue, { prompt = "Waiting prompts" }, function(text, index)
    if text then
      act(text, index)
    end
  end)
end

--- Draws the queue and the waiting context as virtual lines above the prompt's text.
---@param s acp.Session
function M.draw(s)
  local buf = require("nvim-acp.chat").ensure_prompt(s)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local lines = {}
  local shown = require("nvim-acp.chat").windows(s, "prompt")[1]
  table.insert(lines, shown and require("nvim-acp.plan").line(s.plan or {}, api.nvim_win_get_width(shown) - 3))
  local key = require("nvim-acp.config").options.keys.queue or ":AcpQueue"
  for i, text in ipairs(s.queue) do
    local word = s.held and s.held[i] and "held" or "queued"
    local line = ("%d %s: %s"):format(i, word, require("nvim-acp.message").line(text, 60))
    local hint = i == 1 and ("   %s send now, edit, remove"):format(key) or ""
    table.insert(lines, { { line, "AcpDone" }, { hint, "AcpKey" } })
  end
  local chips = {}
  for _, c in ipairs(waiting[s.id] or {}) do
    table.insert(chips, { "@" .. c.name .. "  ", "AcpMention" })
  end
  if #chips > 0 then
    table.insert(lines, chips)
  end
  if #lines > 0 then
    api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_lines = lines, virt_lines_above = true })
  end
  if #lines > 0 or filled[buf] then -- lines above the first are seen only if the view makes room for them
    filled[buf] = #lines > 0
    for _, win in ipairs(require("nvim-acp.chat").windows(s, "prompt")) do
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = 1, topfill = #lines })
      end)
    end
  end
  M.fit(s)
end

return M
