--- What language servers know of symbols: where they are defined and used, what they are, which there are.
local M = {}

local tasks = require("nvim-acp.knowledge.task")
local requests = require("nvim-acp.knowledge.requests")
local servers = require("nvim-acp.knowledge.servers")

local first_line = { start = { line = 0 }, ["end"] = { line = 0 } } -- of a symbol of which only the file is known
local max_symbols, max_locations, max_hover = 500, 500, 8192

-- Returns a function that makes the parameters of a request for a document, at a position if there is one.
local function of_document(buf, position, more)
  return function(client)
    local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position and position(client) }
    return vim.tbl_extend("error", params, more or {})
  end
end

-- Returns a function that adds what one more server has found to a list, without what another has found before.
local function merger(list, key)
  local known = {}
  return function(found)
    local keys = {}
    for _, item in ipairs(found) do
      keys[key(item)] = true
      if not known[key(item)] then
        table.insert(list, item)
      end
    end
    known = vim.tbl_extend("force", known, keys)
  end
end

-- Returns a place that a server has sent; nil if it is none.
local function location(found)
  local uri, range = found.uri or found.targetUri, found.range or found.targetSelectionRange
  if type(uri) == "string" and requests.is_range(range) then
    local path = uri:match("^file:") and vim.uri_to_fname(uri) or uri
    return { path = path, line = range.start.line + 1, last = range["end"].line + 1 }
  end
end

-- Returns the places of an answer, which may be one or a list.
local function locations(task, found)
  local list = {}
  if type(found) == "table" and (found.uri or found.targetUri) then
    found = { found }
  end
  for _, item in ipairs(requests.list(found)) do
    table.insert(list, (location(item)))
    tasks.breathe(task)
  end
  return list
end

--- Returns where a symbol is defined, implemented or used.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string?, kind: "definition"|"references"|"implementation" }
---@return table
function M.locations(task, args)
  local method = "textDocument/" .. args.kind
  local buf, clients = servers.open(task, args.path, method, args.kind)
  local position = servers.place(task, buf, args.line, args.symbol)
  local more = args.kind == "references" and { context = { includeDeclaration = true } } or nil
  local answers, failed, names = requests.request(task, clients, method, of_document(buf, position, more), buf)
  local list = {}
  local add = merger(list, function(at)
    return ("%s:%d:%d"):format(at.path, at.line, at.last)
  end)
  for _, answer in ipairs(answers) do
    add(locations(task, answer.result))
  end
  return {
    server = names,
    failed = failed,
    count = #list,
    list = vim.list_slice(list, 1, max_locations),
  }
end

-- Returns the files in which a symbol is defined, as far as servers of its file know them: those that said something
-- of it, all where one of these does not know definitions.
local function homes(task, buf, position, said)
  if not vim.api.nvim_buf_is_valid(buf) then
    tasks.fail(tasks.closed)
  end
  local method = "textDocument/definition"
  local able = vim.lsp.get_clients({ bufnr = buf, method = method })
  local own = vim.tbl_filter(function(client)
    return said[client.id]
  end, able)
  local clients = #own == vim.tbl_count(said) and own or able
  local answers, problems = requests.ask(task, clients, method, of_document(buf, position), buf)
  for _, problem in ipairs(problems) do
    if problem.late then -- one that answers with an error knows none
      tasks.fail(problem.message)
    end
  end
  local paths = {}
  for _, answer in ipairs(answers) do
    for _, item in ipairs(locations(task, answer.result)) do
      paths[item.path] = true
    end
  end
  return vim.tbl_keys(paths)
end

-- Returns the lines of what a server says of a symbol.
local function words(contents)
  if type(contents) == "table" and contents[1] ~= nil then
    contents = vim.tbl_filter(function(part)
      return type(part) == "string" or type(part) == "table"
    end, contents)
  end
  local ok, lines = pcall(vim.lsp.util.convert_input_to_markdown_lines, contents)
  return ok and lines or {} -- it may be anything
end

--- Returns what servers say of a symbol, and in which files that is defined.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string? }
---@return table
function M.hover(task, args)
  local method = "textDocument/hover"
  local buf, clients = servers.open(task, args.path, method, "types and documentation")
  local position = servers.place(task, buf, args.line, args.symbol)
  local answers, failed, names = requests.request(task, clients, method, of_document(buf, position), buf)
  local texts, said = {}, {}
  for _, answer in ipairs(answers) do
    local lines = type(answer.result) == "table" and words(answer.result.contents) or {}
    local text = table.concat(lines, "\n")
    if vim.trim(text) ~= "" then
      said[answer.client.id] = true
      if not vim.list_contains(texts, text) then
        table.insert(texts, text)
      end
    end
  end
  local text = table.concat(texts, "\n\n"):sub(1, max_hover)
  return { server = names, failed = failed, text = text, homes = homes(task, buf, position, said) }
end

local function kind_of(symbol)
  return vim.lsp.protocol.SymbolKind[symbol.kind] or "Symbol"
end

local function key_of(symbol)
  return table.concat({ symbol.name, symbol.kind, symbol.path or "", symbol.line }, "\n")
end

-- Adds the symbols of a document to a list, those inside of others below them. What is known is left out, unless it
-- has others inside that are not.
local function flatten(task, symbols, depth, list, known)
  for _, symbol in ipairs(requests.list(symbols)) do
    tasks.breathe(task)
    if #list >= max_symbols then
      return
    end
    local range = symbol.range or type(symbol.location) == "table" and symbol.location.range
    if requests.is_range(range) and type(symbol.name) == "string" then
      table.insert(list, {
        name = symbol.name,
        kind = kind_of(symbol),
        detail = type(symbol.detail) == "string" and symbol.detail or nil,
        line = (requests.is_range(symbol.selectionRange) and symbol.selectionRange or range).start.line + 1,
        last = range["end"].line + 1,
        depth = depth,
      })
      local n = #list
      flatten(task, symbol.children, depth + 1, list, known)
      if #list == n and known[key_of(list[n])] then
        table.remove(list)
      end
    end
  end
end

-- Returns the symbols of a file.
local function of_file(task, path)
  local method = "textDocument/documentSymbol"
  local buf, clients = servers.open(task, path, method, "symbols")
  local answers, failed, names = requests.request(task, clients, method, of_document(buf), buf)
  local list, known = {}, {}
  for _, answer in ipairs(answers) do
    flatten(task, answer.result, 0, list, known)
    for _, symbol in ipairs(list) do
      known[key_of(symbol)] = true
    end
  end
  return { server = names, list = list, failed = failed }
end

-- Returns the clients that know the symbols of their workspaces, or the reason why there is none for now.
local function workspace_clients(task, path)
  local method = "workspace/symbol"
  local clients, reason = vim.lsp.get_clients({ method = method }), nil
  if path then -- whose server may have to be started
    local buf, loaded = servers.buffer(task, path)
    local own
    own, reason = servers.clients(task, buf, method, loaded)
    for _, client in ipairs(own) do
      if not vim.iter(clients):any(function(other)
        return other.id == client.id
      end) then
        table.insert(clients, client)
      end
    end
  end
  return clients, reason
end

-- Returns the symbols that a server has found in its workspace.
local function found_in(task, found)
  local list = {}
  for _, symbol in ipairs(requests.list(found)) do
    if #list >= max_symbols then
      break
    end
    tasks.breathe(task)
    local place = type(symbol.location) == "table" and symbol.location or {}
    local at = location({ uri = place.uri, range = requests.is_range(place.range) and place.range or first_line })
    if at and type(symbol.name) == "string" then
      local detail = type(symbol.containerName) == "string" and symbol.containerName or nil
      local row = { name = symbol.name, kind = kind_of(symbol), detail = detail, depth = 0 }
      table.insert(list, vim.tbl_extend("error", row, at))
    end
  end
  return list
end

--- Returns the symbols of a file, or those of the workspace that match a query.
---@param task acp.Task
---@param args { path: string?, query: string? }
---@return table
function M.list(task, args)
  if not args.query or args.query == "" then
    return of_file(task, args.path)
  end
  local clients, reason = workspace_clients(task, args.path)
  if #clients == 0 then
    local text = "No language server that knows the symbols of the workspace is attached. Name a file of the language "
      .. "as path, so that its server is started, or use your own search."
    tasks.fail(reason or text)
  end
  local list = {}
  local add = merger(list, key_of)
  local answers, failed, names = requests.request(task, clients, "workspace/symbol", function()
    return { query = args.query }
  end, 0)
  for _, answer in ipairs(answers) do
    add(found_in(task, answer.result))
  end
  return { server = names, list = vim.list_slice(list, 1, max_symbols), failed = failed }
end

return M
