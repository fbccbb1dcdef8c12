--- Keys of the chat's buffers.
local M = {}

local function map(buf, mode, key, desc, fn)
  if key then
    vim.keymap.set(mode, key, fn, { buffer = buf, desc = "nvim-acp: " .. desc, nowait = true })
  end
end

-- Returns the action of the key that stops a turn.
local function stop(s)
  return function()
    local after = (s.apart or 0) + (s.children or 0) > 0
    local runs = s.state == "busy" or s.state == "waiting" or s.state == "cancelling" or after
    if runs or require("nvim-acp.prompt").waits(s) then
      require("nvim-acp.prompt").cancel(s)
    elseif vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
      vim.cmd.stopinsert()
    end
  end
end

local function focus_permission()
  require("nvim-acp.permission").focus()
end

local function reopen(s)
  return function()
    require("nvim-acp.sessions.offer").take(s)
  end
end

local function attach(s)
  return function()
    require("nvim-acp.attach").take(s)
  end
end

-- Returns the action of the key that installs an agent whose program is missing; else the key is Neovim's own.
local function install(s, key)
  return function()
    if require("nvim-acp.install").possible(s.agent) then
      require("nvim-acp.install").run(s.agent)
    else
      require("nvim-acp.ui.ex").typed(vim.keycode(key))
    end
  end
end

local function send_errors(s)
  return function()
    require("nvim-acp.state").notify(s, "send_errors", {})
  end
end

local function cycle(s, buf, modes)
  local key = require("nvim-acp.config").options.keys.cycle_mode
  map(buf, modes, key, "next mode of the agent", function()
    if vim.fn.pumvisible() == 1 then -- the menu's own meaning of it
      vim.api.nvim_feedkeys(vim.keycode("<C-p>"), "n", false)
    else
      require("nvim-acp.chat.options").cycle(s)
    end
  end)
end

--- Sends the prompt of the current buffer.
function M.send()
  local s = require("nvim-acp.state").sessions[vim.b.acp_session or ""]
  if s then
    require("nvim-acp.prompt").submit(s)
  end
end

-- Returns the action that shows the next session, or the previous one, in the windows of this.
local function other(s, by)
  return function()
    if vim.wo.spell and vim.bo.filetype == "acp-prompt" then -- the default keys are those to misspelt words
      return require("nvim-acp.ui.ex").typed(vim.v.count1 .. (by > 0 and "]s" or "[s"))
    end
    local state = require("nvim-acp.state")
    local order = vim.tbl_filter(function(id)
      return not state.hidden(state.sessions[id])
    end, state.order)
    for i, id in ipairs(order) do
      if id == s.id and #order > 1 then
        local next = order[(i - 1 + by * vim.v.count1) % #order + 1]
        return require("nvim-acp.chat").open(state.sessions[next], false)
      end
    end
    require("nvim-acp.ui.message").info("there is no other session")
  end
end

-- Maps the keys that lead to changes to review.
local function hunks(buf)
  local keys = require("nvim-acp.config").options.review.keys
  for _, key in ipairs(require("nvim-acp.review.keys").list) do
    map(buf, "n", key.leads and keys[key.name], key.desc, function()
      require("nvim-acp.review.hunk").run(key.name, { count = vim.v.count1 })
    end)
  end
end

---@param s acp.Session
---@param buf integer
function M.prompt(s, buf)
  local keys = require("nvim-acp.config").options.keys
  local function submit()
    require("nvim-acp.prompt").submit(s)
  end
  map(buf, "n", keys.send_normal, "send the prompt", function()
    require("nvim-acp.prompt.typing").note(false)
    submit()
  end)
  map(buf, "i", keys.send_insert, "send the prompt", function()
    require("nvim-acp.prompt.typing").note(true)
    if vim.fn.pumvisible() == 0 and vim.api.nvim_get_mode().mode == "i" then
      return submit()
    end
    -- A completion menu would outlive its text and write into the next prompt: a key ends it first.
    vim.api.nvim_feedkeys(vim.keycode("<C-x><C-z><Cmd>lua require('nvim-acp.commands.keys').send()<CR>"), "in", false)
  end)
  map(buf, "n", keys.queue, "queued prompts", function()
    require("nvim-acp.prompt.queue").open(s)
  end)
  map(buf, "n", keys.reopen, "open the previous chat of this folder", reopen(s))
  map(buf, "n", keys.attach, "attach to the detached session of this folder", attach(s))
  map(buf, "n", keys.install, "install the agent, if it is missing", install(s, keys.install))
  map(buf, "n", keys.send_errors, "send the errors of the last turn to the agent", send_errors(s))
  map(buf, { "n", "i" }, keys.history_search, "search earlier prompts", function()
    require("nvim-acp.prompt.history").search(s, buf)
  end)
  for name, by in pairs({ history_prev = 1, history_next = -1 }) do
    if keys[name] then
      require("nvim-acp.prompt.history").map(buf, keys[name], by)
    end
  end
  require("nvim-acp.prompt.chips").attach(buf)
  cycle(s, buf, { "n", "i" })
  hunks(buf)
  require("nvim-acp.ui.keys").map(buf)
  map(buf, "n", keys.next_session, "next session", other(s, 1))
  map(buf, "n", keys.prev_session, "previous session", other(s, -1))
  map(buf, { "n", "i" }, keys.stop, "stop the turn", stop(s))
  map(buf, { "n", "i" }, keys.focus_permission, "go to the permission", focus_permission)
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave", "BufLeave" }, {
    group = vim.api.nvim_create_augroup("nvim-acp.keys." .. buf, { clear = true }), -- they are set more than once
    buffer = buf,
    callback = function()
      vim.schedule(function()
        require("nvim-acp.chat.winbar").draw(s)
        require("nvim-acp.chat.welcome").draw(s)
      end)
    end,
  })
end

--- Sets the chat's keys in the float of a permission: the one that stops the turn.
---@param s acp.Session
---@param buf integer
function M.permission(s, buf)
  require("nvim-acp.ui.keys").map(buf)
  map(buf, "n", require("nvim-acp.config").options.keys.stop, "stop the turn", stop(s))
end

local function jump(s, kind, forward)
  return function()
    local lines = require("nvim-acp.chat.blocks").lines_of(s, kind)
    local from = vim.api.nvim_win_get_cursor(0)[1]
    local target
    for _, line in ipairs(lines) do
      if forward and line > from then
        target = line
        break
      elseif not forward and line < from then
        target = line
      end
    end
    if target then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { target, 0 })
      if kind == "user" then
        vim.cmd("normal! zt") -- its answer is what is to be read
      end
    end
  end
end

-- Returns the block under the cursor, its part, and the row in it.
local function here(s)
  local view = require("nvim-acp.chat.blocks")
  local id, block, row = view.at(s, vim.api.nvim_win_get_cursor(0)[1])
  if block and block.data then
    return id, block.data, row, view.part(block, row)
  end
end

-- Returns how many of the rows above the cursor have its text, from the beginning of a part of a block on.
local function like_it(row, part)
  local at, text = vim.api.nvim_win_get_cursor(0)[1] - 1, vim.api.nvim_get_current_line()
  local above = vim.api.nvim_buf_get_lines(0, at - row + (part and part.row or 0), at, false)
  return #vim.tbl_filter(function(line)
    return line == text
  end, above)
end

-- Returns the action that opens (true), closes (false) or toggles (nil) a block.
local function toggle(s, to)
  return function()
    local id, data, _, part = here(s)
    local at = part or data
    if at and data.folds and (to == nil or to ~= (at.open or false)) then
      require("nvim-acp.chat.unread").fold(s, id)
      require("nvim-acp.state").notify(s, "toggle", { block = id, part = part and part.id })
    end
  end
end

-- Stops the subagent under the cursor, and no other.
local function stop_subagent(s)
  return function()
    local id, _, _, part = here(s)
    if id then
      require("nvim-acp.state").notify(s, "stop_child", { block = id, part = part and part.id })
    end
  end
end

-- Opens the list of what there is to review of the last turn, if a block is its end, or else of the session.
local function review_turn(s, id)
  local view, review = require("nvim-acp.chat.blocks"), require("nvim-acp.review")
  local lines, scope = view.lines_of(s, "end"), nil
  local last = #lines > 0 and view.at(s, lines[#lines]) == id
  review.look(true)
  for _, e in ipairs(review.list) do
    if e.session == s.id then
      scope = (scope == "turn" or last and e.turn.hunks > 0) and "turn" or "session"
    end
  end
  if scope then
    require("nvim-acp.review.list").open(scope)
  end
  return scope ~= nil
end

--- Opens the thing under the cursor: a path or URL, a terminal, a call's file at its line, an image or other media,
--- what there is to review of a turn, the whole of a long block.
local function open(s)
  return function()
    local id, data, row, part = here(s)
    if require("nvim-acp.chat.open_target").open(s) or not id then
      return
    elseif data.kind == "end" and review_turn(s, id) then
      return
    elseif part and part.terminals then
      require("nvim-acp.terminal").open(part.terminals[#part.terminals])
    else
      local text = vim.api.nvim_get_current_line()
      local at = { block = id, part = part and part.id, row = row, text = text, before = like_it(row, part) }
      require("nvim-acp.state").notify(s, "jump", at)
    end
  end
end

-- Offers to edit an earlier prompt.
local function edit(s)
  return function()
    local id, block = require("nvim-acp.chat.blocks").at(s, vim.api.nvim_win_get_cursor(0)[1])
    if not block or not block.data or block.data.kind ~= "user" then
      return require("nvim-acp.ui.message").info("this is not one of your prompts")
    end
    require("nvim-acp.rewind").edit(s, id)
  end
end

local function write(s)
  return function()
    require("nvim-acp.chat").open(s, true)
    if vim.bo.modifiable then -- it is not while a session is loaded
      vim.cmd.startinsert({ bang = true })
    end
  end
end

---@param s acp.Session
---@param buf integer
function M.transcript(s, buf)
  local keys = require("nvim-acp.config").options.keys
  map(buf, "n", keys.stop, "stop the turn", stop(s))
  map(buf, "n", keys.reopen, "open the previous chat of this folder", reopen(s))
  map(buf, "n", keys.attach, "attach to the detached session of this folder", attach(s))
  map(buf, "n", keys.install, "install the agent, if it is missing", install(s, keys.install))
  map(buf, "n", keys.send_errors, "send the errors of the last turn to the agent", send_errors(s))
  map(buf, "n", keys.focus_permission, "go to the permission", focus_permission)
  map(buf, "n", keys.open, "open what is under the cursor", open(s))
  map(buf, "n", "gd", "open what is under the cursor", open(s))
  map(buf, "n", keys.copy, "copy the code under the cursor", function()
    require("nvim-acp.chat.open_target").copy(s)
  end)
  map(buf, "n", keys.copy_source, "copy the Markdown of the block under the cursor", function()
    require("nvim-acp.chat.open_target").copy_source(s)
  end)
  map(buf, "n", keys.toggle, "fold or unfold", toggle(s))
  if keys.toggle == "<Tab>" then
    require("nvim-acp.ui.keys").jumps(buf)
  end
  map(buf, "n", keys.stop_subagent, "stop the subagent under the cursor", stop_subagent(s))
  map(buf, "n", "za", "fold or unfold", toggle(s))
  map(buf, "n", "zo", "unfold", toggle(s, true))
  map(buf, "n", "zc", "fold", toggle(s, false))
  map(buf, "n", keys.next_prompt, "next prompt", jump(s, "user", true))
  map(buf, "n", keys.next_session, "next session", other(s, 1))
  map(buf, "n", keys.prev_session, "previous session", other(s, -1))
  map(buf, "n", keys.prev_prompt, "previous prompt", jump(s, "user", false))
  map(buf, "n", keys.next_call, "next call", jump(s, "call", true))
  map(buf, "n", keys.prev_call, "previous call", jump(s, "call", false))
  map(buf, "n", keys.write, "write in the prompt", write(s))
  map(buf, "n", keys.edit_prompt, "edit the prompt under the cursor", edit(s))
  cycle(s, buf, "n")
  hunks(buf)
  require("nvim-acp.ui.keys").map(buf)
  map(buf, "n", keys.close, "close the chat's windows", function()
    require("nvim-acp.chat").hide(s)
  end)
end

return M
