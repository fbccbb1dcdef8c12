--- Edits in place: agents are asked about lines of a buffer, without a chat, and the answer is shown there as a diff.
local M = {}

local api = vim.api
local place = require("nvim-acp.edit.place")
local draw = require("nvim-acp.edit.draw")
local header = require("nvim-acp.edit.header")
local keys = require("nvim-acp.edit.keys")
local answer = require("nvim-acp.edit.answer")
local lines = require("nvim-acp.files.lines")
local message = require("nvim-acp.ui.message")
local state = require("nvim-acp.state")

---@class acp.EditOptions
---@field buf integer? nil: the current one
---@field range { [1]: integer, [2]: integer }? 1-based lines; nil: the function at the cursor, else the paragraph
---@field instruction string? nil: the user is asked
---@field agent string?
---@field on_done fun(result: acp.EditResult)? called at the end
---@field dot boolean? `.` repeats it
---@field asked fun(instruction: string, range: integer[])? called with what the user has typed, and the lines then

---@class acp.EditResult
---@field session string
---@field result "taken"|"dropped"|"unchanged"|"wrote"|"continued"|"failed"
---@field message string? why it has failed
---@field buf integer
---@field range { [1]: integer, [2]: integer }? the lines after it was taken

local function emit(name, p, data)
  local first, last = place.rows(p)
  local all = {
    session = p.s.id,
    kind = p.kind,
    buf = p.buf,
    path = api.nvim_buf_is_valid(p.buf) and api.nvim_buf_get_name(p.buf) or "",
    range = { first + 1, math.max(last, first + 1) },
    instruction = p.instruction,
  }
  require("nvim-acp.ui.events").emit(name, vim.tbl_extend("force", all, data or {}))
end

-- Notifies a running host about a place; does not start a host.
local function tell(p, verb, args)
  if state.sessions[p.s.id] == p.s and require("nvim-acp.rpc").running() then
    state.notify(p.s, verb, args)
  end
end

local said = { taken = "taken", dropped = "dropped", wrote = "the agent has edited files by itself" }

--- Ends a place.
---@param p acp.Place
---@param result string
---@param why string? why it has failed
function M.finish(p, result, why)
  if place.all[p.s.id] ~= p then
    return
  end
  local first, last = place.rows(p)
  if not p.aside then
    emit("AcpEditEnd", p, { result = result, message = why })
  end
  draw.clear(p)
  answer.forget(p)
  place.remove(p)
  keys.watch()
  if said[result] then
    tell(p, "edit_left", { result = said[result] })
  end
  require("nvim-acp.edit.ended").close(p.s, result == "wrote")
  if p.done then
    local range = result == "taken" and { first + 1, math.max(last, first + 1) } or nil
    require("nvim-acp.ui.try").call(p.done, {
      session = p.s.id,
      result = result,
      message = why,
      buf = p.buf,
      range = range,
    })
  end
end

-- Drops the answer of a place, which may be brought back.
local function drop(p)
  if place.all[p.s.id] ~= p or p.aside then
    return
  end
  emit("AcpEditEnd", p, { result = "dropped" })
  local done = p.done
  p.done = nil
  require("nvim-acp.edit.dropped").drop(p, M.finish)
  if done then
    require("nvim-acp.ui.try").call(done, { session = p.s.id, result = "dropped", buf = p.buf })
  end
end

-- Asks the agent about a place.
local function ask(p, instruction, again)
  p.instruction, p.phase, p.since = instruction, "working", vim.uv.now()
  p.seen, p.told = p.seen + 1, place.lines(p)
  local request = require("nvim-acp.edit.request").of(p, instruction, again)
  if not state.notify(p.s, "edit", { request = request }) then
    return M.finish(p, "failed", p.s.error)
  end
  header.draw(p)
  header.spin()
  keys.watch()
  answer.refresh(p)
end

--- Asks for another answer.
---@param p acp.Place
---@param instruction string what is wrong
function M.again(p, instruction)
  if place.all[p.s.id] == p and p.phase ~= "working" then
    ask(p, instruction, true)
  end
end

-- Starts the session of a place, with the agent and folder of the current session, and its context if configured.
local function begin(opts, kind, at)
  local current = state.current()
  local agent = opts.agent or current and current.agent
  local same = current and current.agent == agent
  local context = require("nvim-acp.config").options.edit.context
  return require("nvim-acp.sessions.start").session({
    agent = agent,
    cwd = same and current.cwd or nil,
    additional_directories = same and current.dirs or nil,
    place = { kind = kind, path = api.nvim_buf_get_name(at.buf) },
    fork = context and same and current.drawn and current.remote or nil,
    wanted = function()
      local range, problem = lines.range(at)
      if not range then
        message.warn("not asked: " .. problem)
      end
      return range ~= nil
    end,
  }, function(s)
    local range = lines.take(at) --[[@as integer[] ]]
    require("nvim-acp.ui.style").define()
    local p = place.new(s, at.buf, range, { kind = kind, done = opts.on_done, instruction = opts.instruction })
    ask(p, opts.instruction, false)
    emit("AcpEditStart", p)
  end, function()
    lines.drop(at)
  end)
end

--- Asks an agent to change lines, or with the kind "ask" about them. The answer to a question about them gives way.
---@param opts acp.EditOptions
---@param kind "edit"|"ask"
---@return string? session local id; nil if the user is asked, or it is not possible
function M.run(opts, kind)
  local buf = opts.buf and opts.buf ~= 0 and opts.buf or api.nvim_get_current_buf()
  require("nvim-acp.files.load").plain(buf)
  local range = opts.range or api.nvim_buf_call(buf, require("nvim-acp.edit.range").at_cursor)
  local problem = lines.wrong(range)
  range = problem and range or { lines.within(range, api.nvim_buf_line_count(buf)) }
  problem = problem or require("nvim-acp.edit.request").refused(buf, range, kind)
  if problem then
    message.warn(problem)
    return nil
  end
  place.sweep(buf, range)
  local many = opts.range and range[2] - range[1] + 1 or nil
  local history, folder = require("nvim-acp.prompt.history"), { id = "edit", cwd = "edit:" .. vim.fn.getcwd() }
  local at = lines.follow(buf, range[1], range[2])

  local function go(text)
    opts = vim.tbl_extend("force", opts, { instruction = vim.trim(text) })
    if opts.instruction == "" then
      return lines.drop(at)
    elseif opts.asked or opts.dot then
      history.add(folder, opts.instruction)
    end
    local there
    range, problem = lines.range(at)
    if range then
      problem, there = require("nvim-acp.edit.request").refused(buf, range, kind)
    end
    if problem then
      message.warn("not asked: " .. problem)
      return lines.drop(at)
    end
    if opts.asked then
      opts.asked(opts.instruction, range)
    end
    if opts.dot and buf == api.nvim_get_current_buf() then
      require("nvim-acp.edit.dot").set(function(other)
        M.run({ range = other, instruction = opts.instruction, agent = opts.agent }, kind)
      end, range[1], many)
    end
    for _, p in ipairs(there) do
      drop(p)
    end
    return begin(opts, kind, at)
  end

  if vim.trim(opts.instruction or "") ~= "" then
    return go(opts.instruction)
  end
  lines.ask(at, kind == "ask" and "Ask about %s" or "Change %s", go, {
    earlier = history.list(folder),
    below = buf == api.nvim_get_current_buf(),
  })
end

--- Opens the session of a place as a chat.
---@param p acp.Place
function M.chat(p)
  require("nvim-acp.chat").open(p.s, true)
  tell(p, "edit_continued")
  p.s.placed = nil
  M.finish(p, "continued")
end

-- Ends a place whose answer leaves nothing to decide: an error, no change, or files that the agent edited itself.
local function over(p, f)
  local agent = p.s.agent_title
  if f.phase == "failed" then
    message.warn(("%s: %s"):format(agent, f.fault))
    M.finish(p, "failed", f.fault)
  elseif f.phase == "same" or f.phase == "ready" then
    message.info(("%s would change nothing here%s"):format(agent, f.words ~= "" and ": " .. f.words or ""))
    M.finish(p, "unchanged")
  elseif f.phase == "wrote" then
    local key = require("nvim-acp.ui.keys").to("AcpReview")
    message.info(("%s edited files instead of answering: %s"):format(agent, key))
    M.finish(p, "wrote")
  end
end

--- Draws the state of a place. Returns "ok", "stale" if the lines have changed meanwhile, "again" if Neovim cannot draw
--- now, "failed" if the diff cannot be drawn and is not there, or "gone".
---@param f table see editFrame in host/editing.go
---@return string
function M.show(f)
  local p = place.all[f.session]
  if not p or not api.nvim_buf_is_loaded(p.buf) then
    return "gone"
  end
  local settled = require("nvim-acp.ui.try").call(place.settle, p)
  if place.all[f.session] ~= p then
    return "gone"
  elseif p.aside then
    return "failed"
  elseif p.bare and not f.reset then
    return "again" -- the host takes it that its marks are there
  elseif p.lost or not settled then
    p.lost = nil
    return "again"
  elseif f.seen ~= p.seen then
    return "stale"
  end
  local before = p.phase
  p.frame, p.bare = f, nil
  if f.page then
    require("nvim-acp.ui.try").call(answer.show, p, f.page)
  end
  local ok, _, locked = require("nvim-acp.ui.try").call(draw.diff, p, f)
  if locked then
    return "again"
  elseif not ok then
    draw.drop(p)
  elseif f.more then
    return "ok"
  end
  p.phase = f.phase
  if f.phase ~= before and f.phase ~= "working" then
    emit("AcpEditReady", p, { phase = f.phase, added = f.added, removed = f.removed })
    answer.notify(p, f)
  end
  local nothing = f.phase == "ready" and before == "working" and f.added + f.removed == 0 -- it is there already
  if f.phase == "working" or f.phase == "words" or f.phase == "ready" and not nothing then
    require("nvim-acp.ui.try").call(header.draw, p)
    keys.update()
    if f.phase ~= before then
      answer.refresh(p)
    end
  else
    over(p, f)
  end
  require("nvim-acp.ui.spinner").with_frame()
  require("nvim-acp.ui.redraw").at_command_line()
  return ok and "ok" or "failed"
end

--- Handles a change of the session of a place.
---@param s acp.Session
function M.changed(s)
  local p = place.all[s.id]
  if p and p.phase == "working" then
    header.draw(p)
  end
end

--- Handles the end of a session.
---@param s acp.Session
function M.forgotten(s)
  local p = place.all[s.id]
  if p then
    M.finish(p, "dropped")
  end
end

--- Handles the end of the host.
function M.lost()
  for _, p in pairs(vim.tbl_extend("error", {}, place.all)) do
    M.finish(p, "failed", "the program nvim-acp ended")
  end
end

-- Applies an answer, or another text instead of it.
local function take(p, more)
  local done = require("nvim-acp.edit.apply").take(p, more)
  if done then
    M.finish(p, "taken")
  end
  return done
end

keys.on_change = header.draw
keys.actions = {
  take = take,
  change = function(p)
    require("nvim-acp.edit.window").open(p, function(more)
      return take(p, more)
    end)
  end,
  read = function(p)
    answer.focus(p)
  end,
  drop = drop,
  stop = function(p)
    state.notify(p.s, "cancel")
    state.set_state(p.s, "cancelling")
    header.draw(p)
  end,
  next = function(p)
    state.notify(p.s, "edit_step", { by = 1 })
  end,
  prev = function(p)
    state.notify(p.s, "edit_step", { by = -1 })
  end,
  again = function(p)
    local title = p.kind == "ask" and "Ask on" or p.phase == "words" and "Answer the agent" or "What is still wrong?"
    require("nvim-acp.ui.input").ask(title, nil, function(text)
      if vim.trim(text) ~= "" then
        M.again(p, text)
      end
    end)
  end,
}

answer.actions = {
  again = keys.actions.again,
  chat = M.chat,
  close = function(p)
    if p.kind == "ask" and p.phase ~= "working" then
      drop(p)
    end
  end,
}

place.on_typed = function(p)
  if p.aside then
    return
  end
  require("nvim-acp.ui.try").call(header.draw, p)
  require("nvim-acp.ui.try").call(keys.update)
end

local function lose(p, why)
  if not p.aside then
    message.warn(why)
  end
  if p.phase == "working" then
    tell(p, "cancel")
  end
  M.finish(p, "dropped")
end

place.on_gone = function(p)
  lose(p, "the lines that " .. p.s.agent_title .. " was asked about are gone")
end

place.on_unload = function(buf)
  for _, p in ipairs(place.of(buf)) do
    if p.phase ~= "working" and api.nvim_buf_is_valid(buf) then
      drop(p)
    else
      lose(p, "the buffer was closed, and with it what " .. p.s.agent_title .. " was asked there")
    end
  end
end

return M
