--- Diagnostics, once the language servers have said what they think of the text as it is.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")

local quiet = 200 -- milliseconds without a change, after which diagnostics of a text are complete
local silent = 1500 -- the same if nothing came for a text: most servers say nothing about one without problems
local stale_quiet, stale_silent = 500, 3000 -- the same after other files have changed: the server reads these first
local max_items = 400

--- By buffer, the text and time of the last diagnostics, and whether they were found to be complete.
--- Without a text they may be of another state of other files.
---@type table<integer, { tick: integer?, at: integer, settled: boolean? }>
local last = {}
local following = false
local heard = 0 -- when diagnostics of any buffer came

--- Watches for diagnostics, so that later questions know which text they are about.
function M.follow()
  if following then
    return
  end
  following = true
  local group = api.nvim_create_augroup("nvim-acp.knowledge", { clear = true })
  api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function(args)
      heard = vim.uv.now()
      last[args.buf] = { tick = api.nvim_buf_get_changedtick(args.buf), at = heard }
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(args)
      last[args.buf] = nil
    end,
  })
end

--- Notes that a server was told of something else that the diagnostics of a buffer may depend on.
---@param buf integer
function M.stale(buf)
  last[buf] = { at = vim.uv.now() }
end

-- Reports whether the diagnostics of a text are complete. `said` are the last ones; the text is there since `since`.
local function is_complete(said, tick, since)
  local now = vim.uv.now()
  if said and said.tick == tick then
    return now - math.max(said.at, since) >= (said.settled and 0 or quiet)
  elseif said and not said.tick then
    local from = math.max(said.at, since)
    return heard > said.at and now - math.max(heard, since) >= stale_quiet or now - from >= stale_silent
  end
  return now - since >= silent
end

-- Reports whether a server says that it is at work.
local function at_work(clients)
  for _, client in ipairs(clients) do
    local pending = client.progress and client.progress.pending
    if pending and next(pending) ~= nil then
      return true
    end
  end
  return false
end

--- Waits until the diagnostics of a buffer are those of its text. Returns false if that takes too long.
---@param task acp.Task
---@param buf integer
---@param clients vim.lsp.Client[]
---@param wait integer milliseconds
---@return boolean
function M.settle(task, buf, clients, wait)
  local start = vim.uv.now()
  local since, tick = 0, api.nvim_buf_get_changedtick(buf)
  if not last[buf] or last[buf].tick and last[buf].tick ~= tick then
    since = start
  end
  while vim.uv.now() - start < wait do
    if not api.nvim_buf_is_loaded(buf) then
      return false
    elseif api.nvim_buf_get_changedtick(buf) ~= tick or at_work(clients) then
      since, tick = vim.uv.now(), api.nvim_buf_get_changedtick(buf)
    elseif is_complete(last[buf], tick, since) then
      last[buf] = { tick = tick, at = last[buf] and last[buf].at or vim.uv.now(), settled = true }
      return true
    end
    tasks.sleep(task, 50)
  end
  return false
end

local severities = { "error", "warning", "info", "hint" }

local function items_of(buf, path, list, severity)
  for _, d in ipairs(vim.diagnostic.get(buf, { severity = severity })) do
    local rank = d.severity or 1
    list.count = (list.count or 0) + 1
    list.ranks = list.ranks or { 0, 0, 0, 0 }
    list.ranks[rank] = list.ranks[rank] + 1
    if list.ranks[rank] > max_items then -- of each severity the first ones are enough
      goto continue
    end
    table.insert(list, {
      path = path,
      line = d.lnum + 1,
      col = d.col + 1,
      severity = severities[d.severity] or "error",
      rank = rank,
      message = d.message:sub(1, 1000),
      source = d.source,
      code = d.code and tostring(d.code) or nil,
    })
    ::continue::
  end
end

-- Sorts diagnostics, the worst first, and keeps so many that an agent reads them.
local function cut(list)
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then
      return a.rank < b.rank
    elseif a.path ~= b.path then
      return a.path < b.path
    end
    return a.line < b.line
  end)
  local count = list.count or 0
  return { items = vim.list_slice(list, 1, max_items), count = count }
end

-- Returns the path of a buffer's file; nil if it has none, or if its diagnostics are of a file that is gone.
local function path_of(buf)
  local name = api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) or ""
  if name:sub(1, 1) == "/" and (api.nvim_buf_is_loaded(buf) or vim.uv.fs_stat(name)) then
    return name
  end
end

-- Reports whether a language server is at work for files like one that is not open: with the same extension.
local function is_served(path)
  local function extension(name)
    return vim.fn.fnamemodify(name, ":e")
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    for buf in pairs(client.attached_buffers) do
      if api.nvim_buf_is_valid(buf) and extension(api.nvim_buf_get_name(buf)) == extension(path) then
        return true
      end
    end
  end
  return false
end

-- Reports whether language servers know the problems of a buffer, also if there are none.
local function is_seen(buf)
  local clients = api.nvim_buf_is_loaded(buf) and vim.lsp.get_clients({ bufnr = buf }) or {}
  local idle = vim.iter(clients):all(function(client)
    return client.initialized
  end) and not at_work(clients)
  return idle and #clients > 0 or next(vim.diagnostic.count(buf)) ~= nil
end

--- Returns the errors in all files, as they are known now, and the files in which they are known.
---@param task acp.Task
---@return { items: table[], seen: string[] }
function M.errors(task)
  M.follow()
  local list, seen = {}, {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_valid(buf) and is_seen(buf) and path_of(buf) then
      local path = require("nvim-acp.files.buffer").real(buf)
      table.insert(seen, path)
      items_of(buf, path, list, vim.diagnostic.severity.ERROR)
    end
    tasks.breathe(task)
  end
  list.count, list.ranks = nil, nil
  return { items = list, seen = seen }
end

-- Returns the diagnostics of one file. With gentle a file that is not open is loaded only for a server that is at work.
local function of_file(task, path, wait, gentle)
  if gentle and not require("nvim-acp.files.buffer").find(path) and not is_served(path) then
    tasks.fail("it is not open")
  end
  local buf, loaded = servers.buffer(task, path)
  local clients, reason = servers.clients(task, buf, nil, loaded)
  local settled = #clients > 0 and M.settle(task, buf, clients, math.min(wait, tasks.left(task)))
  local list = {}
  items_of(buf, path, list)
  local answer = cut(list)
  answer.settled = settled
  answer.servers = vim.tbl_map(function(client)
    return servers.name(client.name)
  end, clients)
  answer.missing = #clients == 0 and servers.missing(buf, "diagnostics", reason) or nil
  return answer
end

-- Returns the diagnostics of all loaded files.
local function of_all(task, wait)
  local names, start = {}, vim.uv.now()
  local clients = vim.tbl_filter(function(client)
    return client.name ~= "nvim-acp" -- that of the prompt
  end, vim.lsp.get_clients())
  for _, client in ipairs(clients) do
    table.insert(names, servers.name(client.name))
  end
  local settled = #clients > 0
  local list = {}
  for _, client in ipairs(clients) do
    for buf in pairs(client.attached_buffers) do
      tasks.breathe(task)
      if api.nvim_buf_is_loaded(buf) then
        settled = M.settle(task, buf, { client }, math.max(wait - (vim.uv.now() - start), 1)) and settled
      end
    end
  end
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local found = api.nvim_buf_is_valid(buf) and next(vim.diagnostic.count(buf)) ~= nil
    local name = found and path_of(buf)
    if name then
      items_of(buf, name, list)
      tasks.breathe(task)
    end
  end
  local answer = cut(list)
  answer.settled, answer.servers = settled, names
  return answer
end

--- Returns the diagnostics of a file, or of all that servers have said something of.
---@param task acp.Task
---@param args { path: string?, wait: integer, gentle: boolean? } wait in milliseconds
---@return table
function M.list(task, args)
  M.follow()
  if args.path and args.path ~= "" then
    return of_file(task, args.path, args.wait, args.gentle)
  end
  return of_all(task, args.wait)
end

return M
