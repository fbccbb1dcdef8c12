--- Language servers: attached to files, also those that are not open, and asked without holding the editor.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")

local max_size = 1024 * 1024 -- bytes of a file that is loaded for a server

--- How long servers are waited for, in milliseconds: after a file was loaded until one is attached to it, and longer
--- while one is being started.
M.waits = { attach = 3000, start = 12000 }

---@type table<string, integer> by real path, buffers that were loaded for their servers
local own = {}

--- Unloads the buffer of a file that is gone, if it was loaded for its servers only: they would go on with its text.
---@param path string real path
function M.release(path)
  local buf = own[path]
  own[path] = nil
  if not buf or not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buflisted or vim.bo[buf].modified then
    return
  elseif api.nvim_buf_get_name(buf) == path and #vim.fn.win_findbuf(buf) == 0 then
    pcall(api.nvim_buf_delete, buf, {}) -- text may be locked
  end
end

-- Attaches a buffer that was loaded quietly to the servers that are at work on files of its type in a folder above it.
local function join(buf, path)
  require("nvim-acp.ui.servers").load()
  for _, client in ipairs(vim.lsp.get_clients()) do
    local root = client.root_dir or client.config.root_dir
    local fits = vim.iter(vim.tbl_keys(client.attached_buffers)):any(function(other)
      return vim.bo[other].filetype == vim.bo[buf].filetype
    end)
    if fits and root and vim.startswith(path, root .. "/") then
      vim.lsp.buf_attach_client(buf, client.id)
    end
  end
end

--- Returns the buffer of a file, loaded for its language server if it is not open. For an agent in a sandbox no server
--- is started: it would run, outside, what the agent has written for it.
---@param task acp.Task
---@param path string real path
---@return integer buf
---@return boolean loaded by this call
function M.buffer(task, path)
  local buf = require("nvim-acp.files.buffer").find(path)
  task.buf = buf
  if buf then
    return buf, false
  end
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    tasks.fail("no such file: " .. M.name(path))
  elseif stat.size > max_size then
    tasks.fail(M.name(path) .. " is not open and too large to be loaded: nothing is known of it")
  end
  local load = require("nvim-acp.files.load")
  buf = load.add(path)
  local ok, problem = load.unasked(buf, false, task.confined) -- with a swap file other programs would ask of it
  if not ok then
    tasks.fail(("%s could not be loaded now: %s"):format(M.name(path), tostring(problem):gsub("\n.*", "")))
  end
  own[path], task.buf = buf, buf
  if task.confined then
    join(buf, path)
  end
  task.since = 0 -- loading may have taken long
  tasks.breathe(task)
  return buf, true
end

-- Returns the servers that are being started for files like that of a buffer: they belong to no buffer yet.
local function starting(buf)
  return vim.tbl_filter(function(client)
    local types = client.config.filetypes
    return not client.initialized and (not types or vim.list_contains(types, vim.bo[buf].filetype))
  end, vim.lsp.get_clients({ _uninitialized = true }))
end

local function names_of(clients)
  local names = {}
  for _, client in ipairs(clients) do
    table.insert(names, M.name(client.name))
  end
  return table.concat(names, ", ")
end

--- Returns the clients of a buffer that support a method, all if there is none. After loading it waits for one. Where
--- there is none for a passing reason, such as a server that is still starting, it returns that too.
---@param task acp.Task
---@param buf integer
---@param method string?
---@param loaded boolean the buffer was just loaded
---@return vim.lsp.Client[]
---@return string? reason
---@return string? starting the names of servers that are still starting
function M.clients(task, buf, method, loaded)
  local began = vim.uv.now()
  local waited = {} -- the servers that were being started when it last looked
  while true do
    if #vim.lsp.get_clients({ bufnr = buf }) > 0 then
      return vim.lsp.get_clients({ bufnr = buf, method = method })
    end

    local now = starting(buf)
    local took = vim.uv.now() - began
    local wait = (loaded and M.waits.attach or 0) + (#now > 0 and M.waits.start or 0)
    if took >= wait or tasks.left(task) <= 0 then
      if #now > 0 then
        local text =
          "The language server %s is still starting, after %.0f s: nothing is known yet. Try again in a moment."
        return {}, text:format(names_of(now), took / 1000), names_of(now)
      end
      return {}, #waited > 0 and M.ended(names_of(waited)) or nil
    end
    waited = #now > 0 and now or waited
    tasks.sleep(task, 20)
  end
end

--- Says that a server has ended while it was waited for.
---@param name string
---@return string
function M.ended(name)
  return ("The language server %s has ended: use your own tools. The user finds out why in :LspLog."):format(name)
end

--- Returns a name as it is, or quoted if it is not one line of plain characters: it must not look like further lines.
---@param name string
---@return string
function M.name(name)
  return name:find("%c") and vim.json.encode(name):gsub("\\/", "/") or name
end

--- Says that no server knows a file, and what would help.
---@param buf integer
---@param what string
---@param reason string? of M.clients
---@return string
function M.missing(buf, what, reason)
  if reason then
    return reason
  end
  local name = M.name(vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":."))
  local type = vim.bo[buf].filetype
  local clients = vim.lsp.get_clients({ bufnr = buf })
  if #clients > 0 then
    return ("The language server %s of %s has no %s. Use your own search."):format(M.name(clients[1].name), name, what)
  end
  local text = "No language server is attached to %s (filetype %s), so the editor knows no %s. Use your own tools; "
    .. "the user could enable a server for this filetype, see :help lsp-quickstart."
  return text:format(name, type ~= "" and type or "none", what)
end

--- Returns the buffer of a file and the clients that answer a request for it. It fails if there is none.
---@param task acp.Task
---@param path string real path
---@param method string
---@param what string that they are asked for
---@return integer buf
---@return vim.lsp.Client[]
---@return boolean loaded by this call
function M.open(task, path, method, what)
  local buf, loaded = M.buffer(task, path)
  local clients, reason = M.clients(task, buf, method, loaded)
  if #clients == 0 then
    tasks.fail(M.missing(buf, what, reason))
  end
  return buf, clients, loaded
end

-- Returns the column (0-based, in bytes) of a symbol in a line, -1 if it is not there. A word is no part of another.
local function column(line, symbol)
  if symbol:match("^[%w_\128-\255]+$") then
    return (line:find("%f[%w_\128-\255]" .. symbol .. "%f[^%w_\128-\255]") or 0) - 1
  end
  return (line:find(symbol, 1, true) or 0) - 1
end

-- Returns the number of units before a column, as a server counts them.
local function units(line, col, encoding)
  local head = line:sub(1, col)
  if encoding == "utf-8" then
    return #head
  elseif encoding == "utf-32" then
    return vim.fn.strchars(head)
  end
  return vim.fn.strutf16len(head)
end

--- Returns the end of a line as a client counts.
---@param buf integer
---@param line integer 1-based
---@param client vim.lsp.Client
---@return table position
function M.end_of(buf, line, client)
  local text = api.nvim_buf_get_lines(buf, line - 1, line, false)[1] or ""
  return { line = line - 1, character = units(text, #text, client.offset_encoding or "utf-16") }
end

--- Returns the place of a symbol in a buffer: in the given line, else where it first occurs.
---@param task acp.Task
---@param buf integer
---@param line integer? 1-based
---@param symbol string?
---@return fun(client: vim.lsp.Client): table position as a client counts
function M.place(task, buf, line, symbol)
  local count = api.nvim_buf_line_count(buf)
  if line and (line < 1 or line > count) then
    tasks.fail(("there is no line %d, the file has %d"):format(line, count))
  end
  local from, to = line or 1, line or count
  for first = from, to, 1000 do
    local lines = api.nvim_buf_get_lines(buf, first - 1, math.min(first + 999, to), false)
    for i, text in ipairs(lines) do
      local col = symbol and column(text, symbol) or #text:match("^%s*")
      if col >= 0 then
        return function(client)
          return { line = first + i - 2, character = units(text, col, client.offset_encoding or "utf-16") }
        end
      end
    end
    tasks.breathe(task)
  end
  if line then
    tasks.fail(("line %d has no %q: %s"):format(line, symbol, api.nvim_buf_get_lines(buf, line - 1, line, false)[1]))
  end
  tasks.fail(("the file has no %q"):format(symbol))
  return function() end
end

return M
