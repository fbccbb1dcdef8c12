--- Diagnostics, once the language servers have said what they think of the text as it is.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")
local heard = require("nvim-acp.knowledge.heard")
local settled = require("nvim-acp.knowledge.settled")

local max_items = 400
local prompt = "nvim-acp" -- the client of the chat's prompt, which knows no files

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

-- Returns the extensions of the files that language servers have open.
local function served_extensions(task)
  local list = {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    for buf in pairs(client.attached_buffers) do
      if api.nvim_buf_is_valid(buf) and client.name ~= prompt then
        list[vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":e")] = true
      end
      tasks.breathe(task)
    end
  end
  return list
end

--- Returns those of some files that language servers know, or would know if they were open.
---@param task acp.Task
---@param args { paths: string[] } real paths
---@return string[]
function M.served(task, args)
  local extensions = served_extensions(task)
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
    if buf and client.initialized and client.name ~= prompt then
      table.insert(settled.at_work({ client }) and busy or list, { client = client, buf = buf })
    end
    tasks.breathe(task)
  end
  return vim.list_extend(list, busy)
end

--- Returns the errors in all files, as they are known now, and the files of whose text they are known to be. It waits
--- for servers, but not for long.
---@param task acp.Task
---@return { items: table[], seen: string[] }
function M.errors(task)
  heard.follow()
  settled.ask(task, pairs_of_all(task), vim.uv.now() + settled.brief)
  local list, seen = {}, {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local clients = api.nvim_buf_is_loaded(buf) and vim.lsp.get_clients({ bufnr = buf }) or {}
    local known = #clients > 0 and settled.is_known(buf, clients)
      or #clients == 0 and api.nvim_buf_is_valid(buf) and next(vim.diagnostic.count(buf)) ~= nil
    if known and path_of(buf) then
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
  if gentle and not require("nvim-acp.files.buffer").find(path) and #M.served(task, { paths = { path } }) == 0 then
    tasks.fail("it is not open")
  end
  local buf, loaded = servers.buffer(task, path)
  local clients, reason, starting = servers.clients(task, buf, nil, loaded)
  local done, late = false, starting and starting .. " is still starting"
  if #clients > 0 then
    done, late = settled.wait(task, buf, clients, math.min(wait, tasks.left(task)))
  end
  local list = {}
  items_of(buf, path, list)
  local answer = cut(list)
  answer.settled, answer.late = done, late
  answer.fresh = vim.iter(clients):any(function(client)
    return heard.is_fresh(heard.of(client.id), buf, heard.name(buf))
  end)
  answer.servers = vim.tbl_map(function(client)
    return servers.name(client.name)
  end, clients)
  answer.missing = #clients == 0 and servers.missing(buf, "diagnostics", reason) or nil
  return answer
end

-- Waits for all language servers. Returns their names, why some have not settled, and the files that they have open.
local function settle_all(task, wait)
  wait = math.min(wait, settled.longest)
  local start, names, files = vim.uv.now(), {}, {}
  local all = pairs_of_all(task)
  local late = settled.ask(task, all, start + wait)
  for _, pair in ipairs(all) do
    local client = pair.client
    table.insert(names, servers.name(client.name))
    for buf in pairs(client.attached_buffers) do
      tasks.breathe(task)
      local left = math.max(wait - (vim.uv.now() - start), 1)
      if api.nvim_buf_is_loaded(buf) and path_of(buf) then
        files[path_of(buf)] = true
      end
      if api.nvim_buf_is_loaded(buf) and not late[client.id] then
        local _, why = settled.wait(task, buf, { client }, left, start)
        late[client.id] = why
      end
    end
  end
  files = vim.tbl_keys(files)
  table.sort(files)
  return names, settled.joined(late), files
end

-- Returns the diagnostics of all loaded files.
local function of_all(task, wait)
  local names, late, files = settle_all(task, wait)
  local list = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local found = api.nvim_buf_is_valid(buf) and next(vim.diagnostic.count(buf)) ~= nil
    local name = found and path_of(buf)
    if name then
      items_of(buf, name, list)
      tasks.breathe(task)
    end
  end
  local answer = cut(list)
  answer.settled, answer.late, answer.servers = #names > 0 and not late, late, names
  answer.looked = files
  return answer
end

--- Returns the diagnostics of a file, or of all that servers have said something of.
---@param task acp.Task
---@param args { path: string?, wait: integer, gentle: boolean? } wait in milliseconds
---@return table
function M.list(task, args)
  heard.follow()
  if args.path and args.path ~= "" then
    return of_file(task, args.path, args.wait, args.gentle)
  end
  return of_all(task, args.wait)
end

return M
