--- Files that have changed on the disk without a buffer: language servers are told of them where Neovim does not watch
--- the disk for them, as it does not by default on Linux.
local M = {}

local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")

local method = "workspace/didChangeWatchedFiles"
local deleted = 3 -- vim.lsp.protocol.FileChangeType

-- Reports whether Neovim tells a client by itself: it watches what the server has registered for.
local function is_watched(client)
  return vim.tbl_get(client.capabilities or {}, "workspace", "didChangeWatchedFiles", "dynamicRegistration") == true
end

-- Returns the folders of a client: their real paths, and how it writes them.
local function folders_of(client)
  local list = {}
  for _, folder in ipairs(client.workspace_folders or {}) do
    local name = vim.uri_to_fname(folder.uri):gsub("(.)/+$", "%1")
    table.insert(list, { real = vim.uv.fs_realpath(name) or name, name = name })
  end
  return list
end

-- Returns a path as a client writes it, nil if it is in none of its folders.
local function path_in(folders, path)
  for _, folder in ipairs(folders) do
    local rest = folder.real == "/" and path or path:sub(#folder.real + 1)
    if vim.startswith(path, folder.real) and rest:sub(1, 1) == "/" then
      return folder.name == "/" and rest or folder.name .. rest
    end
  end
end

-- Returns what a client is to be told. What it has open it knows from its buffer, but for the end of the file.
local function events_for(task, client, changes)
  local events, open, folders = {}, {}, folders_of(client)
  if #folders == 0 then
    return events
  end
  for _, buf in ipairs(vim.tbl_keys(client.attached_buffers)) do -- others may come and go meanwhile
    if vim.api.nvim_buf_is_loaded(buf) then
      open[require("nvim-acp.files.buffer").real(buf)] = true
    end
    tasks.breathe(task)
  end
  for _, change in ipairs(changes) do
    local path = path_in(folders, change.path)
    if path and (change.kind == deleted or not open[change.path]) then
      table.insert(events, { uri = vim.uri_from_fname(path), type = change.kind })
    end
    tasks.breathe(task)
  end
  return events
end

local function notify(client, events)
  if vim.fn.has("nvim-0.11") == 1 then -- methods of clients take the client
    client:notify(method, { changes = events })
  else
    client.notify(method, { changes = events })
  end
end

--- Tells the language servers of files that have changed on the disk, as far as Neovim does not, and has their
--- diagnostics waited for.
---@param task acp.Task
---@param args { changes: { path: string, kind: 1|2|3 }[] } real paths; created, changed, deleted
---@return boolean
function M.tell(task, args)
  for _, change in ipairs(args.changes) do
    if change.kind == deleted then
      servers.release(change.path)
      tasks.breathe(task)
    end
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    local events = events_for(task, client, args.changes)
    if #events > 0 then
      if not is_watched(client) then
        notify(client, events)
      end
      require("nvim-acp.knowledge.diagnostics_log").told(client.id)
    end
  end
  return true
end

return M
