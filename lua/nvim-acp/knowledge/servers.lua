--- Language servers: attached to files, also those that are not open, and asked without holding the editor.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")

local max_size = 1024 * 1024 -- bytes of a file that is loaded for a server
local attach_wait = 3000 -- milliseconds
local start_wait = 12000 -- as long as one is being started
local answer_wait = 15000

local new_client = vim.fn.has("nvim-0.11") == 1 -- methods of clients take the client

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

--- Returns the buffer of a file, loaded for its language server if it is not open.
---@param task acp.Task
---@param path string real path
---@return integer buf
---@return boolean loaded by this call
function M.buffer(task, path)
  local buf = require("nvim-acp.files.buffer").find(path)
  if buf then
    return buf, false
  end
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    tasks.fail("no such file: " .. path)
  elseif stat.size > max_size then
    tasks.fail(path .. " is not open and too large to be loaded: nothing is known of it")
  end
  local ok, err = pcall(function()
    buf = vim.fn.bufadd(path)
    vim.cmd(("noswapfile call bufload(%d)"):format(buf)) -- a swap file would raise a question
  end)
  if not ok then
    tasks.fail(("%s could not be loaded now: %s"):format(path, tostring(err):gsub("\n.*", "")))
  end
  own[path] = buf
  task.since = 0 -- loading may have taken long
  tasks.breathe(task)
  return buf, true
end

-- Reports whether a server is being started: it belongs to no buffer yet.
local function starting()
  return vim.iter(vim.lsp.get_clients({ _uninitialized = true })):any(function(client)
    return not client.initialized
  end)
end

--- Returns the clients of a buffer that support a method, all if there is none. After loading it waits for one.
---@param task acp.Task
---@param buf integer
---@param method string?
---@param loaded boolean the buffer was just loaded
---@return vim.lsp.Client[]
function M.clients(task, buf, method, loaded)
  local till = vim.uv.now() + (loaded and attach_wait or 0)
  while true do
    local all = vim.lsp.get_clients({ bufnr = buf })
    local ready = vim.tbl_filter(function(client)
      return client.initialized
    end, all)
    local waits = (#all > 0 or starting()) and start_wait or 0
    if #ready > 0 or vim.uv.now() >= till + waits then
      return method and vim.lsp.get_clients({ bufnr = buf, method = method }) or ready
    end
    tasks.sleep(task, 20)
  end
end

--- Says that no server knows a file, and what would help.
---@param buf integer
---@param what string
---@return string
function M.missing(buf, what)
  local name = vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":.")
  local type = vim.bo[buf].filetype
  local clients = vim.lsp.get_clients({ bufnr = buf })
  if #clients > 0 then
    return ("The language server %s of %s has no %s. Use your own search."):format(clients[1].name, name, what)
  end
  local text = "No language server is attached to %s (filetype %s), so the editor knows no %s. Use your own tools; "
    .. "the user could enable a server for this filetype, see :help lsp-quickstart."
  return text:format(name, type ~= "" and type or "none", what)
end

--- Asks a server, and returns its answer, or what is wrong: late if the server does not answer in time.
---@param task acp.Task
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buf integer
---@return any result
---@return { message: string, late: boolean? }? problem
function M.ask(task, client, method, params, buf)
  local id
  local function cancel()
    if id and new_client then
      client:cancel_request(id)
    elseif id then
      client.cancel_request(id)
    end
  end
  local err, result = tasks.wait(task, function(done)
    local function handler(e, r)
      done(e, r)
    end
    local ok
    if new_client then
      ok, id = client:request(method, params, handler, buf)
    else
      ok, id = client.request(method, params, handler, buf)
    end
    if not ok then
      done({ message = "it has ended", late = true })
    end
    vim.defer_fn(function()
      done({ message = ("no answer within %d s"):format(answer_wait / 1000), late = true })
    end, answer_wait)
  end, cancel)
  if err and err.late then
    cancel()
  end
  return result, err
end

--- Asks a server, and returns its answer. It fails if the server does not answer in time.
---@param task acp.Task
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buf integer
---@return any result
function M.request(task, client, method, params, buf)
  local result, problem = M.ask(task, client, method, params, buf)
  if problem then
    tasks.fail(("%s: %s"):format(client.name, problem.message or "error"))
  end
  return result
end

-- Returns the column (0-based, in bytes) of a symbol in a line, as a word if it is one there.
local function column(line, symbol)
  local word = symbol:match("^[%w_]+$") and line:find("%f[%w_]" .. symbol .. "%f[^%w_]")
  return (word or line:find(symbol, 1, true) or 0) - 1
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
---@return integer line 1-based
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
        end,
          first + i - 1
      end
    end
    tasks.breathe(task)
  end
  if line then
    tasks.fail(("line %d has no %q: %s"):format(line, symbol, api.nvim_buf_get_lines(buf, line - 1, line, false)[1]))
  end
  tasks.fail(("the file has no %q"):format(symbol))
  return function() end, 0
end

return M
