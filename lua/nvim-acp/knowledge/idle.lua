--- Whether language servers have said all that they have to say of a text as it is.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local diagnostics_log = require("nvim-acp.knowledge.diagnostics_log")
local sync = require("nvim-acp.knowledge.sync")
local servers = require("nvim-acp.knowledge.servers")

--- Milliseconds after which diagnostics are complete: after those of the text, and if a server that answers says
--- nothing, as most do of a text without problems; both longer where other files have changed, which it reads first.
M.quiet, M.silent = 200, 1500
M.stale_quiet, M.stale_silent = 500, 3000

--- How long servers are waited for, in milliseconds: at most, and where the user waits.
M.longest, M.brief = 60000, 200

--- Returns the name of the first client that says that it is at work.
---@param clients vim.lsp.Client[]
---@return string?
function M.at_work(clients)
  for _, client in ipairs(clients) do
    local pending = client.progress and client.progress.pending
    if pending and next(pending) ~= nil then
      return servers.name(client.name)
    end
  end
end

-- Notes that a client has answered after what it was told, unless it has begun or ended to work since: there may be
-- more to say.
local function note_answer(client, answer)
  local h, now = diagnostics_log.of(client.id), vim.uv.now()
  if h.works ~= answer.works then
    h.answered = nil
    return
  end
  if not h.answered or h.answered.seq ~= answer.seq then
    h.answered = { seq = answer.seq, at = now }
  end
  h.answered.last = now
end

-- Notes that the diagnostics of a buffer were asked for: they are complete, unless the client sends some by itself too.
local function note_pulled(h, buf, name, answer)
  h.pulled[name] = answer.seq
  if h.heard == 0 and not diagnostics_log.last(h, buf, name) then
    h.settled[name] = answer.seq
  end
end

-- Reports whether a client that has answered has said all of a buffer.
local function is_complete(client, buf, name)
  local h, now = diagnostics_log.of(client.id), vim.uv.now()
  local said, from = diagnostics_log.last(h, buf, name), h.answered.at
  if diagnostics_log.is_fresh(h, buf, name) then
    return now - said.at >= M.quiet
  elseif h.settled[name] == h.seq then
    return now - (said and said.at or 0) >= M.quiet
  elseif said and said.at < diagnostics_log.others(h, name) then
    local spoken = h.heard > diagnostics_log.others(h, name) and now - math.max(h.heard, from) >= M.stale_quiet
    return spoken or now - from >= M.stale_silent
  end
  return now - from >= M.silent
end

-- Returns those clients that have to answer before their silence counts: all that were told something since their last
-- answer, or have not answered since a time, or whose answers are the diagnostics.
local function unanswered(clients, buf, name, since)
  return vim.tbl_filter(function(client)
    local h = diagnostics_log.of(client.id)
    local answered = h.answered and h.answered.seq == h.seq and h.answered.last >= since
    return not answered or sync.pulls(client, buf) and h.pulled[name] ~= h.seq
  end, clients)
end

--- Returns reasons as a text, each once; nil if there is none.
---@param reasons table<any, string>
---@return string?
function M.joined(reasons)
  local list, known = {}, {}
  for _, reason in pairs(reasons) do
    if not known[reason] then
      known[reason] = true
      table.insert(list, reason)
    end
  end
  table.sort(list)
  return #list > 0 and table.concat(list, ", ") or nil
end

--- Asks clients about a buffer each, and waits until they have answered. Returns why some have not, by client.
---@param task acp.Task
---@param pairs { client: vim.lsp.Client, buf: integer }[]
---@param till integer when it gives up, in milliseconds of vim.uv.now()
---@return table<integer, string> late
function M.ask(task, pairs, till)
  local late, answers = sync.pass(task, pairs, till)
  for _, pair in ipairs(pairs) do
    local client, buf, answer = pair.client, pair.buf, answers[pair.client.id]
    if not late[client.id] and answer and api.nvim_buf_is_loaded(buf) then
      note_answer(client, answer)
      if sync.pulls(client, buf) then
        note_pulled(diagnostics_log.of(client.id), buf, diagnostics_log.name(buf), answer)
      end
    end
  end
  return late
end

-- Returns the clients of which more is to be expected.
local function incomplete(clients, buf, name)
  return vim.tbl_filter(function(client)
    return not is_complete(client, buf, name)
  end, clients)
end

--- Waits until the diagnostics of a buffer are those of its text: each client has answered a request since it was told
--- of the text, says that it is not at work, and has been silent for a moment. Returns why that is not so in the end.
---@param task acp.Task
---@param buf integer
---@param clients vim.lsp.Client[]
---@param wait integer milliseconds
---@param since integer? when the question was asked of which this is a part: who has answered since then need not again
---@return boolean settled
---@return string? late
function M.wait(task, buf, clients, wait, since)
  local start, name = vim.uv.now(), diagnostics_log.name(buf)
  local till, late = start + math.min(wait, M.longest), nil
  since = since or start
  repeat
    if not api.nvim_buf_is_loaded(buf) then
      return false, "its buffer is gone"
    end
    local busy = M.at_work(clients)
    local missing = unanswered(clients, buf, name, since)
    if busy then
      late = busy .. " is still at work"
      vim.iter(clients):each(function(client) -- its silence is none
        diagnostics_log.of(client.id).answered = nil
      end)
      tasks.sleep(task, 50)
    elseif #missing > 0 then
      local pairs = vim.tbl_map(function(client)
        return { client = client, buf = buf }
      end, missing)
      local why = M.joined(M.ask(task, pairs, till))
      if why then
        return false, why
      end
    else
      local open = incomplete(clients, buf, name)
      if #open == 0 then
        for _, client in ipairs(clients) do
          diagnostics_log.of(client.id).settled[name] = diagnostics_log.of(client.id).seq
        end
        return true
      end
      late = servers.name(open[1].name) .. " has not settled"
      tasks.sleep(task, 50)
    end
  until vim.uv.now() >= till
  return false, late
end

--- Reports whether what clients have said of a buffer is of its text, as far as can be known without waiting for them.
---@param buf integer
---@param clients vim.lsp.Client[]
---@return boolean
function M.is_known(buf, clients)
  if M.at_work(clients) then
    return false
  end
  local name, now = diagnostics_log.name(buf), vim.uv.now()
  return vim.iter(clients):all(function(client)
    local h = diagnostics_log.of(client.id)
    if not h.answered or h.answered.seq ~= h.seq then
      return false
    end
    return is_complete(client, buf, name) or now - h.at >= M.silent and now - h.heard >= M.quiet
  end)
end

return M
