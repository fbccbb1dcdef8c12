--- Barriers: cheap requests to language servers. Who answers one has read all that it was told before; who does not is
--- busy, and its silence means nothing.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local diagnostics_log = require("nvim-acp.knowledge.diagnostics_log")
local requests = require("nvim-acp.knowledge.requests")
local servers = require("nvim-acp.knowledge.servers")

local new_client = vim.fn.has("nvim-0.11") == 1 -- methods of clients take the client
local pull = "textDocument/diagnostic"

-- Requests about a file, those first for which a server must have looked at what the text means.
local cheap = {
  "textDocument/hover",
  "textDocument/definition",
  "textDocument/documentHighlight",
  "textDocument/documentSymbol",
  "textDocument/foldingRange",
}

-- Errors that say "not now": cancelled, the content has changed, cancelled by the server.
local passing = { [-32800] = true, [-32801] = true, [-32802] = true }

local function supports(client, method, buf)
  if new_client then
    return client:supports_method(method, buf)
  end
  return client.supports_method(method, { bufnr = buf })
end

--- Reports whether a client's diagnostics of a buffer are asked for, rather than sent by itself.
---@param client vim.lsp.Client
---@param buf integer
---@return boolean
function M.pulls(client, buf)
  return supports(client, pull, buf)
end

-- Returns the parameters of all requests by which diagnostics are asked for: a server may have several kinds.
local function pulled(client, buf, document)
  local list = {}
  local function add(provider)
    local identifier = type(provider) == "table" and provider.identifier or nil
    table.insert(list, { textDocument = document, identifier = identifier })
  end
  if client._provider_foreach then -- 0.12: of those for the current buffer
    api.nvim_buf_call(buf, function()
      client:_provider_foreach(pull, add)
    end)
  end
  if #list == 0 then
    add(client.server_capabilities.diagnosticProvider)
  end
  return list
end

-- Sends one request, and returns its state: done once it is answered, again from when on it is to be sent once more,
-- failed what a server says that is asked for diagnostics and has none to give. seq is what the client was told before,
-- works what it had said of its work when it answered.
local function send(client, method, params, buf)
  local state = { client = client, buf = buf, method = method, params = params, done = false }
  local log = diagnostics_log.of(client.id)
  local function handler(err, result, ctx, ...)
    if err and passing[err.code] then
      state.again = vim.uv.now() + 100
      return
    end
    if method == pull and err then
      state.failed = tostring(err.message or "error")
    elseif method == pull then
      local handle = client.handlers[pull] or vim.lsp.handlers[pull]
      if not pcall(handle, err, result, ctx, ...) then
        state.failed = "its answer means nothing"
      end
    end
    state.done = true
    state.seq, state.works = state.seq or log.seq, log.works
  end
  local ok
  if new_client then
    ok, state.id = client:request(method, params, handler, buf)
  else
    ok, state.id = client.request(method, params, handler, buf)
  end
  state.over = not ok
  vim.schedule(function() -- what it is told with the request comes as an event
    state.seq = state.seq or log.seq
  end)
  return state
end

-- Sends a client what it is to answer, and returns the states of the requests.
local function ask(client, buf)
  local document = { uri = vim.uri_from_bufnr(buf) }
  if M.pulls(client, buf) then
    return vim.tbl_map(function(params)
      return send(client, pull, params, buf)
    end, pulled(client, buf, document))
  end
  local method = vim.iter(cheap):find(function(name)
    return supports(client, name, buf)
  end)
  -- One that knows none of them answers with an error, which is an answer.
  local params = { textDocument = document, position = { line = 0, character = 0 } }
  return { send(client, method or cheap[1], params, buf) }
end

local function cancel(state)
  if state.id and new_client then
    state.client:cancel_request(state.id)
  elseif state.id then
    state.client.cancel_request(state.id)
  end
end

-- Reports whether a request was cancelled by others: the editor cancels those for diagnostics of an older text, and
-- says nothing then.
local function is_dropped(state)
  local request = state.id and state.client.requests[state.id]
  return not request or request.type == "cancel"
end

-- Looks at a request. It returns its state, which is another one if it was sent again; nil if it is over, with the
-- reason if there is no answer.
local function look(state, till, began)
  local name = servers.name(state.client.name)
  local now = vim.uv.now()
  if state.failed then
    return nil, ("%s could not say: %s"):format(name, servers.name(vim.fn.strcharpart(state.failed, 0, 200)))
  elseif state.done or not api.nvim_buf_is_loaded(state.buf) then
    return nil
  elseif requests.is_over(state.client) then
    return nil, name .. " has ended"
  elseif state.over then
    return nil, name .. " takes no requests"
  elseif now >= till then
    cancel(state)
    return nil, ("%s has not answered within %.0f s"):format(name, math.max((now - began) / 1000, 1))
  elseif state.again and now >= state.again or not state.again and is_dropped(state) then
    return send(state.client, state.method, state.params, state.buf)
  end
  return state
end

--- Waits until clients have answered something about a buffer each. Where diagnostics are asked for, the answers are
--- these, and are shown as any.
---@param task acp.Task
---@param pairs { client: vim.lsp.Client, buf: integer }[]
---@param till integer when it gives up, in milliseconds of vim.uv.now()
---@return table<integer, string> late by client, why there is no answer
---@return table<integer, { seq: integer, works: integer }> answers by client, when the last of its answers came
function M.pass(task, pairs, till)
  local open, late, answers, began = {}, {}, {}, vim.uv.now()
  for _, pair in ipairs(pairs) do
    vim.list_extend(open, ask(pair.client, pair.buf))
  end
  while #open > 0 do
    tasks.sleep(task, 10, function()
      vim.tbl_map(cancel, open)
    end)
    local left = {}
    for _, state in ipairs(open) do
      local now, why = look(state, till, began)
      late[state.client.id] = why or late[state.client.id]
      if state.done then
        answers[state.client.id] = { seq = state.seq, works = state.works }
      end
      table.insert(left, now)
    end
    open = left
  end
  return late, answers
end

return M
