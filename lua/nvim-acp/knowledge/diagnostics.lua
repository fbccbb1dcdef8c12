--- Diagnostics, once the language servers have said what they think of the text as it is.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")
local diagnostics_log = require("nvim-acp.knowledge.diagnostics_log")
local idle = require("nvim-acp.knowledge.idle")
local requests = require("nvim-acp.knowledge.requests")
local closed = require("nvim-acp.knowledge.closed")
local iter = require("nvim-acp.knowledge.iter")

local max_items = 400
local max_errors = 1000 -- that are compared: before a turn in all files, after it in each one
local walking = { errors = 150, all = 3000 } -- milliseconds for reading diagnostics, where there are very many
local prompt = "nvim-acp" -- the client of the chat's prompt, which knows no files

local severities = { "error", "warning", "info", "hint" }

local function item(path, d)
  return {
    path = path,
    line = d.lnum + 1,
    col = d.col + 1,
    severity = severities[d.severity],
    rank = d.severity,
    message = d.message:sub(1, 1000),
    source = d.source,
    code = d.code and tostring(d.code) or nil,
  }
end

-- Adds the diagnostics of a buffer to a list that counts all of them, the first ones of each severity.
local function add(task, buf, path, list, till)
  list.ranks = list.ranks or { 0, 0, 0, 0 }
  for rank in ipairs(severities) do
    local found, most = 0, max_items - list.ranks[rank]
    local count = iter.each(task, buf, rank, most, till, function(d)
      found = found + 1
      table.insert(list, item(path, d))
    end)
    list.count, list.ranks[rank] = (list.count or 0) + count, list.ranks[rank] + found
  end
end

-- Returns the first errors of a buffer, how many it has, and with only_whole whether these are all.
local function errors_of(task, buf, path, most, till, only_whole)
  local list = {}
  local count, whole = iter.each(task, buf, 1, most, till, function(d)
    table.insert(list, item(path, d))
  end, only_whole)
  return list, count, whole
end

-- Sorts diagnostics, the worst first, and keeps so many that an agent reads them.
local function cut(task, list)
  tasks.breathe(task)
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
  local ordinary = api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == ""
  local name = ordinary and api.nvim_buf_get_name(buf) or ""
  if name:sub(1, 1) == "/" and (api.nvim_buf_is_loaded(buf) or vim.uv.fs_stat(name)) then
    return name
  end
end

-- Returns the extensions of the files that language servers have open.
local function served_extensions(task)
  local list = {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    for _, buf in ipairs(vim.tbl_keys(client.attached_buffers)) do -- others may come and go meanwhile
      if api.nvim_buf_is_valid(buf) and client.name ~= prompt then
        list[vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":e")] = true
      end
      tasks.breathe(task)
    end
  end
  return list
end

--- Returns those of some files that language servers know, or would know if they were open, or had not left.
---@param task acp.Task
---@param args { paths: string[], session: string } real paths
---@return string[]
function M.served(task, args)
  local extensions = served_extensions(task)
  for extension in pairs(closed.types(args.session)) do
    extensions[extension] = true
  end
  local list = vim.tbl_filter(function(path)
    return extensions[vim.fn.fnamemodify(path, ":e")] == true
  end, args.paths)
  return list
end

-- Returns a loaded buffer of a client.
local function buffer_of(client)
  for buf in pairs(client.attached_buffers) do
    if api.nvim_buf_is_loaded(buf) then
      return buf
    end
  end
end

-- Returns each language server with one of its buffers that are loaded, those at work last.
local function pairs_of_all(task)
  local list, busy = {}, {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    local buf = buffer_of(client)
    if buf and client.name ~= prompt then
      table.insert(idle.at_work({ client }) and busy or list, { client = client, buf = buf })
    end
    tasks.breathe(task)
  end
  return vim.list_extend(list, busy)
end

-- Waits until clients have settled, those that have not ended meanwhile. Returns like idle.wait.
local function settle(task, buf, clients, wait)
  local till = vim.uv.now() + math.min(wait, tasks.left(task))
  repeat
    local running = vim.tbl_filter(function(client)
      return not requests.is_over(client)
    end, clients)
    if #running == 0 then
      return false
    end
    local done, late = idle.wait(task, buf, running, till - vim.uv.now())
    if done or not vim.iter(running):any(requests.is_over) then
      return done, late
    end
  until vim.uv.now() >= till
  return false
end

-- Returns the answer about a file that is not open and that no server would look at if it was.
local function unserved(session, path)
  local ended = closed.types(session)[vim.fn.fnamemodify(path, ":e")]
  if not ended then
    tasks.fail("it is not open")
  end
  return { items = {}, count = 0, settled = false, ended = ended, servers = {} }
end

-- Returns the diagnostics of one file. With gentle they are the errors, and a file that is not open is loaded only for
-- a server that is at work.
local function of_file(task, args)
  local path, session = args.path, args.session
  local is_open = not args.gentle or require("nvim-acp.files.buffer").find(path)
  if not is_open and not served_extensions(task)[vim.fn.fnamemodify(path, ":e")] then
    return unserved(session, path)
  end
  local buf, loaded = servers.buffer(task, path)
  local clients, reason, starting = servers.clients(task, buf, nil, loaded)
  local done, late = false, starting and starting .. " is still starting"
  if #clients > 0 then
    done, late = settle(task, buf, clients, args.wait)
  end
  local ended = starting and {} or closed.of(session, buf, clients)
  local answer, till = {}, vim.uv.now() + walking.all
  if args.gentle then
    answer.items, answer.count = errors_of(task, buf, path, max_errors, till)
  else
    local list = {}
    add(task, buf, path, list, till)
    answer = cut(task, list)
  end
  answer.settled, answer.late = done and #ended == 0, late
  answer.ended = #ended > 0 and table.concat(ended, ", ") or nil
  answer.fresh = vim.iter(clients):any(function(client)
    return diagnostics_log.is_fresh(diagnostics_log.of(client.id), buf, diagnostics_log.name(buf))
  end)
  answer.servers = vim.tbl_map(function(client)
    return servers.name(client.name)
  end, clients)
  if #clients == 0 then
    reason = reason or answer.ended and ("The language server %s: use your own tools."):format(answer.ended)
    answer.missing = servers.missing(buf, "diagnostics", reason)
  end
  return answer
end

-- Waits for all language servers. Returns their names, why some have not settled, and the files that they have open.
local function settle_all(task, wait)
  wait = math.min(wait, idle.longest)
  local start, names, files = vim.uv.now(), {}, {}
  local all = pairs_of_all(task)
  local late = idle.ask(task, all, start + wait)
  for _, pair in ipairs(all) do
    local client = pair.client
    table.insert(names, servers.name(client.name))
    for _, buf in ipairs(vim.tbl_keys(client.attached_buffers)) do -- others may come and go meanwhile
      tasks.breathe(task)
      local left = math.max(wait - (vim.uv.now() - start), 1)
      local path = api.nvim_buf_is_loaded(buf) and path_of(buf)
      if path then
        files[path] = true
      end
      if path and not late[client.id] then
        local _, why = idle.wait(task, buf, { client }, left, start)
        late[client.id] = api.nvim_buf_is_loaded(buf) and why or nil
      end
    end
  end
  files = vim.tbl_keys(files)
  table.sort(files)
  return names, idle.joined(late), files
end

-- Waits until the servers have answered, but not for long, so that what they say is of the text as it is.
local function ask_all(task)
  local all = pairs_of_all(task)
  idle.ask(task, all, vim.uv.now() + idle.brief)
  local quiet = diagnostics_log.began() + idle.quiet - vim.uv.now()
  if quiet > 0 and #all > 0 then -- what a server says now may be of a newer text
    tasks.sleep(task, quiet)
  end
end

--- Returns the errors in all files, as they are known now, the files of whose text they are known to be, with all
--- their errors in the list, and the state of the open ones. It waits for servers: for so many milliseconds that they
--- have settled, and says which have not; without wait not for long, and a turn of the session begins.
---@param task acp.Task
---@param args { session: string, wait: integer? }
---@return { items: table[], seen: string[], open: { path: string, tick: integer, modified: boolean }[], late: string? }
function M.errors(task, args)
  if not args.wait then
    closed.begin(args.session)
  end
  if not package.loaded["vim.lsp"] and not package.loaded["vim.diagnostic"] then
    return { items = {}, seen = {}, open = {} } -- there are none: loading these would take 10 ms
  end
  local late, _
  if args.wait then
    _, late = settle_all(task, args.wait)
  else
    ask_all(task)
  end
  local list, seen, open, till = {}, {}, {}, vim.uv.now() + walking.errors
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local loaded = api.nvim_buf_is_loaded(buf)
    local clients = loaded and vim.lsp.get_clients({ bufnr = buf }) or {}
    local known = #clients > 0 and idle.is_known(buf, clients)
      or #clients == 0 and api.nvim_buf_is_valid(buf) and next(vim.diagnostic.count(buf)) ~= nil
    local path = (known or loaded) and path_of(buf) and require("nvim-acp.files.buffer").real(buf)
    if loaded and path then
      table.insert(open, { path = path, tick = api.nvim_buf_get_changedtick(buf), modified = vim.bo[buf].modified })
    end
    if known and path then
      local found, _, whole = errors_of(task, buf, path, max_errors - #list, till, true)
      if whole then
        table.insert(seen, path)
        vim.list_extend(list, found)
      end
    end
    tasks.breathe(task)
  end
  return { items = list, seen = seen, open = open, late = late }
end

-- Returns the diagnostics of all loaded files.
local function of_all(task, wait)
  local names, late, files = settle_all(task, wait)
  local list, till = {}, vim.uv.now() + walking.all
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local found = api.nvim_buf_is_valid(buf) and next(vim.diagnostic.count(buf)) ~= nil
    local name = found and path_of(buf)
    if name then
      add(task, buf, name, list, till)
      tasks.breathe(task)
    end
  end
  local answer = cut(task, list)
  answer.settled, answer.late, answer.servers = not late, late, names
  answer.looked = files
  return answer
end

--- Returns the diagnostics of a file, or of all that servers have said something of.
---@param task acp.Task
---@param args { path: string?, wait: integer, gentle: boolean?, session: string } wait in milliseconds
---@return table
function M.list(task, args)
  if args.path then
    return of_file(task, args)
  end
  return of_all(task, args.wait)
end

return M
