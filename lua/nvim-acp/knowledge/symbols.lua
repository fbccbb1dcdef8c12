--- What language servers know of symbols: where they are defined and used, what they are, which there are.
local M = {}

local tasks = require("nvim-acp.knowledge.task")
local requests = require("nvim-acp.knowledge.requests")
local servers = require("nvim-acp.knowledge.servers")

local first_line = { start = { line = 0 }, ["end"] = { line = 0 } } -- of a symbol of which only the file is known
local max_symbols, max_locations, max_hover = 500, 500, 8192

-- Returns the document and the place of a request.
local function open(task, args, method, what)
  local buf, loaded = servers.buffer(task, args.path)
  local clients, reason = servers.clients(task, buf, method, loaded)
  if #clients == 0 then
    tasks.fail(servers.missing(buf, what, reason))
  end
  return buf, clients[1]
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
  local buf, client = open(task, args, method, args.kind)
  local position, line = servers.place(task, buf, args.line, args.symbol)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position(client) }
  if args.kind == "references" then
    params.context = { includeDeclaration = true }
  end
  local found = locations(task, requests.request(task, client, method, params, buf))
  return {
    server = servers.name(client.name),
    line = line,
    count = #found,
    list = vim.list_slice(found, 1, max_locations),
  }
end

-- Returns the files in which a symbol is defined, as far as servers of its file know them.
local function homes(task, buf, position)
  local method = "textDocument/definition"
  local paths = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf, method = method })) do
    local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position(client) }
    local found, problem = requests.ask(task, client, method, params, buf)
    if problem and problem.late then
      tasks.fail(problem.message)
    end
    for _, item in ipairs(locations(task, found)) do -- none of one that answers with an error
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

--- Returns what a server says of a symbol, and in which files that is defined.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string? }
---@return table
function M.hover(task, args)
  local buf, client = open(task, args, "textDocument/hover", "types and documentation")
  local position = servers.place(task, buf, args.line, args.symbol)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position(client) }
  local found = requests.request(task, client, "textDocument/hover", params, buf)
  local lines = type(found) == "table" and words(found.contents) or {}
  local text = table.concat(lines, "\n"):sub(1, max_hover)
  return { server = servers.name(client.name), text = text, homes = homes(task, buf, position) }
end

local function kind_of(symbol)
  return vim.lsp.protocol.SymbolKind[symbol.kind] or "Symbol"
end

-- Adds the symbols of a document to a list, those inside of others below them.
local function flatten(task, symbols, depth, list)
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
      flatten(task, symbol.children, depth + 1, list)
    end
  end
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

-- Adds the symbols that a server has found in its workspace.
local function add_found(task, found, list)
  for _, symbol in ipairs(requests.list(found)) do
    if #list >= max_symbols then
      return
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
end

--- Returns the symbols of a file, or those of the workspace that match a query.
---@param task acp.Task
---@param args { path: string?, query: string? }
---@return table
function M.list(task, args)
  local list = {}
  if not args.query or args.query == "" then
    local buf, client = open(task, args, "textDocument/documentSymbol", "symbols")
    local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
    flatten(task, requests.request(task, client, "textDocument/documentSymbol", params, buf), 0, list)
    return { server = servers.name(client.name), list = list }
  end
  local clients, reason = workspace_clients(task, args.path)
  if #clients == 0 then
    local text = "No language server that knows the symbols of the workspace is attached. Name a file of the language "
      .. "as path, so that its server is started, or use your own search."
    tasks.fail(reason or text)
  end
  local asked, failed = {}, {}
  for _, client in ipairs(clients) do
    local found, problem = requests.ask(task, client, "workspace/symbol", { query = args.query }, 0)
    if problem then
      table.insert(failed, problem.message)
    else
      table.insert(asked, servers.name(client.name))
      add_found(task, found, list)
    end
  end
  if #asked == 0 then
    tasks.fail(table.concat(failed, " "))
  end
  return { server = table.concat(asked, ", "), list = list, failed = failed }
end

return M
