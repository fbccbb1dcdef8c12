--- The queue: prompts that wait for the end of a turn, in a float where a line is a prompt. Lines are edited, moved
--- and removed as in any buffer; the queue becomes what the lines say when the float is left.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.queue")

---@type { s: acp.Session, buf: integer, win: integer, shown: string[], ids: string[], lines: string[] }? the float
local view

-- Returns the line of the prompt with that number: its first one.
local function line(i, text)
  return ("%d: %s"):format(i, text:match("^[^\n]*"))
end

local function edited()
  return not vim.deep_equal(api.nvim_buf_get_lines(view.buf, 0, -1, false), view.lines)
end

-- Returns the prompt that a line stands for: its number in what was shown, 0 for a new one, and its text.
local function parse(text)
  local number, words = text:match("^%s*(%d+): ?(.*)$")
  local i = tonumber(number) or 0
  local whole = view.shown[i]
  if not whole then
    return 0, vim.trim(text)
  elseif text == view.lines[i] then
    return i, whole
  end
  words = vim.trim(words)
  return i, words ~= "" and words .. (whole:match("\n.*$") or "") or words
end

-- Marks the prompts of several lines. It is no text: the user's words are what the lines say.
local function mark_long()
  if not view or not api.nvim_buf_is_valid(view.buf) then
    return
  end
  api.nvim_buf_clear_namespace(view.buf, ns, 0, -1)
  for row, text in ipairs(api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
    local from, words = parse(text)
    if from > 0 and words:find("\n", 1, true) then
      local chunks = { { require("nvim-acp.ui.style").icons().cut, "AcpDone" } }
      api.nvim_buf_set_extmark(view.buf, ns, row - 1, 0, {
        virt_text = require("nvim-acp.ui.virtual").text(chunks),
        virt_text_pos = "eol",
      })
    end
  end
end

-- Returns the context that a changed prompt mentions, without what its agent does not take. What it mentioned before
-- stays in the host as it was.
local function context_of(words)
  local context = {}
  for _, c in ipairs(require("nvim-acp.prompt.mention").resolve(view.s, words)) do
    local problem = require("nvim-acp.prompt.context").refused(view.s, c)
    if problem then
      require("nvim-acp.ui.message").warn(("%s, so the prompt waits without it: %s"):format(problem, c.name))
    else
      table.insert(context, c)
    end
  end
  return context
end

-- Makes the queue what the lines say.
local function apply()
  vim.bo[view.buf].modified = false
  if not edited() then
    return
  end
  local want = {}
  for _, text in ipairs(api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
    local from, words = parse(text)
    if words ~= "" then
      local context = words ~= view.shown[from] and context_of(words) or {}
      local names = require("nvim-acp.prompt.mention").names(words)
      table.insert(want, {
        from = from,
        text = words,
        context = #context > 0 and context or nil,
        names = #names > 0 and names or nil,
      })
    end
  end
  local shown = #view.shown > 0 and view.shown or nil
  require("nvim-acp.state").notify(view.s, "requeue", { shown = shown, want = #want > 0 and want or nil })
end

local function leave()
  local left = view
  if not left then
    return
  end
  if api.nvim_buf_is_valid(left.buf) then
    apply()
  end
  view = nil
  require("nvim-acp.ui.origin").close(left.win)
  vim.schedule(function() -- it may be in other windows, where nothing that is typed would change the queue
    require("nvim-acp.ui.deferred").delete(left.buf)
  end)
end

--- Closes the float of a session's queue.
---@param s acp.Session
---@param apply_edits boolean false: the host has the session no more
function M.close(s, apply_edits)
  if view and view.s == s then
    if not apply_edits and api.nvim_buf_is_valid(view.buf) then
      view.lines = api.nvim_buf_get_lines(view.buf, 0, -1, false)
    end
    leave()
  end
end

-- Closes the float, then does something with the prompt under the cursor, by its place in the queue as it was edited.
local function act(action)
  local s, index = view.s, 0
  local lines = api.nvim_buf_get_lines(view.buf, 0, api.nvim_win_get_cursor(view.win)[1], false)
  local text = ""
  for _, l in ipairs(lines) do
    text = select(2, parse(l))
    index = index + (text ~= "" and 1 or 0)
  end
  leave()
  if text ~= "" then
    require("nvim-acp.state").notify(s, "queue", { action = action, index = index, text = text })
    if action == "edit" then
      require("nvim-acp.state").announce("edited", s)
    end
  end
end

-- Returns the place of the float: above the prompt, or in the middle; and the most rows that it can have there.
local function place(s)
  local below = require("nvim-acp.state.buffers").windows(s, "prompt", api.nvim_get_current_tabpage())[1]
  local config = { border = require("nvim-acp.ui.style").border(), height = 1 }
  local most = math.max(math.floor(vim.o.lines / 2), 3)
  if not below then
    config.relative, config.row = "editor", math.floor(vim.o.lines / 4)
    config.width = math.max(math.min(80, vim.o.columns - 4), 10)
    config.col = math.floor((vim.o.columns - config.width) / 2)
    return config, most
  end
  config.relative, config.win, config.anchor, config.row, config.col = "win", below, "SW", 0, 0
  config.width = math.max(api.nvim_win_get_width(below) - 2, 10)
  return config, math.max(math.min(most, vim.fn.win_screenpos(below)[1] - 3), 1) -- two are the border's
end

-- Makes the float as high as its text, as far as there is room.
local function fit()
  if not view or not api.nvim_win_is_valid(view.win) then
    return
  end
  local config, most = place(view.s)
  api.nvim_win_set_width(view.win, config.width)
  config.height = math.max(math.min(api.nvim_win_text_height(view.win, {}).all, most), 1)
  api.nvim_win_set_config(view.win, config)
  require("nvim-acp.prompt.size").fill(view.win)
end

-- Returns the number that a prompt of the queue as it was shown has now, nil if it does not wait any more.
local function number_of(old, shown, ids)
  for i, text in ipairs(view.shown) do
    if view.ids[i] == ids[old] and (ids[old] ~= "" or text == shown[old]) then
      return i
    end
  end
end

-- Shows the queue. The cursor stays on its prompt; that of one which was sent goes to the next.
local function render()
  local shown, ids, cursor = view.shown, view.ids, api.nvim_win_get_cursor(view.win)
  view.shown, view.ids, view.lines = vim.deepcopy(view.s.queue), vim.deepcopy(view.s.queue_ids), {}
  for i, text in ipairs(view.shown) do
    view.lines[i] = line(i, text)
  end
  local levels = vim.bo[view.buf].undolevels
  vim.bo[view.buf].undolevels = -1 -- what is shown is not undone
  api.nvim_buf_set_lines(view.buf, 0, -1, false, view.lines)
  vim.bo[view.buf].undolevels, vim.bo[view.buf].modified = levels, false
  local row = shown[cursor[1]] and number_of(cursor[1], shown, ids) or cursor[1]
  api.nvim_win_set_cursor(view.win, { math.max(math.min(row, #view.lines), 1), cursor[2] })
  mark_long()
  fit()
end

local function footer(s, width)
  local list = { "<CR> send now", "dd remove", "gp edit", "q close" }
  if (s.can or {}).steer then
    table.insert(list, 2, "gs into the turn")
  end
  local text = ""
  for _, hint in ipairs(list) do
    if api.nvim_strwidth(text .. hint) + 3 <= width then
      text = text .. " " .. hint .. " "
    end
  end
  return text
end

local watching = false

-- Shows what has been sent or queued meanwhile, unless the lines were edited.
local function watch()
  if watching then
    return
  end
  watching = true
  require("nvim-acp.state").on("changed", function(s)
    if view and not api.nvim_buf_is_valid(view.buf) then
      view = nil
    end
    if view and view.s == s and not edited() and not vim.deep_equal(s.queue, view.shown) then
      render()
    end
  end)
end

--- Opens the queue.
---@param s acp.Session
function M.open(s)
  if #s.queue == 0 then
    local on = (s.steered or {})[1] and "the prompt is on its way into the turn, and the agent has not answered"
    return require("nvim-acp.ui.message").info(on or "no prompt is queued")
  end
  leave()
  local origin = require("nvim-acp.ui.origin")
  local from, buf = origin.here(), api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].buftype = "acwrite"
  require("nvim-acp.ui.bufname").set(buf, { "Queue", "nvim-acp" })
  vim.bo[buf].filetype = "acp-queue"
  local config = place(s)
  config.title, config.footer = " Queued prompts ", footer(s, config.width)
  view = { s = s, buf = buf, win = api.nvim_open_win(buf, true, config), shown = {}, ids = {}, lines = {} }
  origin.note(view.win, from)
  local window, hang = require("nvim-acp.ui.window"), require("nvim-acp.ui.hang")
  window.set(view.win, window.plain)
  window.set(view.win, { wrap = true, linebreak = true })
  window.pad(view.win)
  window.set(view.win, hang.window)
  vim.bo[buf].formatlistpat = [[^\d\+: ]] -- what wraps continues below the text
  render()
  watch()
  local function map(key, what, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = what })
  end
  for key, what in pairs({
    ["<CR>"] = { "now", "send this prompt now" },
    gs = { "steer", "send it into the turn" },
    gp = { "edit", "put it back into the prompt" },
  }) do
    map(key, what[2], function()
      act(what[1])
    end)
  end
  require("nvim-acp.ui.keys").map(buf)
  require("nvim-acp.ui.keys").commands(buf, { { "dd", "remove the prompt" } })
  map("q", "close the queue", leave)
  map("<Esc>", "close the queue", leave)
  api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    buffer = buf,
    callback = function()
      mark_long()
      fit()
    end,
  })
  api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    callback = function()
      fit()
      return not api.nvim_buf_is_valid(buf) -- then it is removed
    end,
  })
  api.nvim_create_autocmd("BufLeave", { buffer = buf, callback = leave })
  require("nvim-acp.ui.write").on(buf, "changes the queue", function()
    vim.bo[buf].modified = false
    vim.schedule(leave)
  end)
end

local least = 20 -- cells of a prompt that are shown before its hint is

-- Returns what the key of the queue does, as far as it fits beside the beginning of a prompt.
local function hint_in(room)
  local key = require("nvim-acp.config").options.keys.queue or require("nvim-acp.ui.keys").to("AcpQueue")
  for _, what in ipairs({ " send, edit, move, remove", " edit", "" }) do
    local hint = "   " .. key .. what
    if #hint + least <= room then
      return hint
    end
  end
  return ""
end

--- Returns the virtual lines for the queue above the prompt's text.
---@param s acp.Session
---@param width integer cells of the prompt's text
---@return table[]
function M.lines(s, width)
  local lines = {}
  for _, sent in ipairs(s.steered or {}) do
    local word = "sending into the turn: "
    local room = math.max(math.min(60, width - #word), 1)
    table.insert(lines, { { word .. require("nvim-acp.ui.text").line(sent.text, room), "AcpDone" } })
  end
  for i, text in ipairs(s.queue) do
    local word = ("%d %s: "):format(i, s.held and s.held[i] and "held" or "queued")
    local hint = i == 1 and hint_in(width - #word) or ""
    local room = math.max(math.min(60, width - #word - #hint), 1)
    table.insert(lines, { { word .. require("nvim-acp.ui.text").line(text, room), "AcpDone" }, { hint, "AcpKey" } })
  end
  return lines
end

return M
