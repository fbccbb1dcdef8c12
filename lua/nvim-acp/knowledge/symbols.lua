--- What language servers know of symbols: where they are defined and used, what they are, which there are.
local M = {}

local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")

local max_symbols, max_locations, max_hover = 500, 500, 8192

-- Returns the document and the place of a request.
local function open(task, args, method, what)
  local buf, loaded = servers.buffer(task, args.path)
  local clients = servers.clients(task, buf, method, loaded)
  if #clients == 0 then
    tasks.fail(servers.missing(buf, what))
  end
  return buf, clients[1]
end

local function location(found)
  local uri, range = found.uri or found.targetUri, found.range or found.targetSelectionRange
  local path = uri:match("^file:") and vim.uri_to_fname(uri) or uri
  return { path = path, line = range.start.line + 1, last = range["end"].line + 1 }
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
  local found = servers.request(task, client, method, params, buf) or {}
  if found.uri or found.targetUri then
    found = { found }
  end
  local list = {}
  for i, item in ipairs(found) do
    if i > max_locations then
      break
    end
    table.insert(list, location(item))
    tasks.breathe(task)
  end
  return { server = client.name, line = line, count = #found, list = list }
end

-- Returns the files in which a symbol is defined, as far as servers of its file know them.
local function homes(task, buf, position)
  local method = "textDocument/definition"
  local paths = {}
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf, method = method })) do
    local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position(client) }
    local found, problem = servers.ask(task, client, method, params, buf)
    if problem and problem.late then
      tasks.fail(("%s: %s"):format(client.name, problem.message))
    end
    found = found or {} -- one that answers with an error knows of none
    for _, item in ipairs((found.uri or found.targetUri) and { found } or found) do
      paths[location(item).path] = true
      tasks.breathe(task)
    end
  end
  return vim.tbl_keys(paths)
end

--- Returns what a server says of a symbol, and in which files that is defined.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string? }
---@return table
function M.hover(task, args)
  local buf, client = open(task, args, "textDocument/hover", "types and documentation")
  local position, line = servers.place(task, buf, args.line, args.symbol)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) }, position = position(client) }
  local found = servers.request(task, client, "textDocument/hover", params, buf)
  local lines = found and found.contents and vim.lsp.util.convert_input_to_markdown_lines(found.contents) or {}
  local text = table.concat(lines, "\n"):sub(1, max_hover)
  return { server = client.name, line = line, text = text, homes = homes(task, buf, position) }
end

local function kind_of(symbol)
  return vim.lsp.protocol.SymbolKind[symbol.kind] or "Symbol"
end

-- Adds the symbols of a document to a list, those inside of others below them.
local function flatten(task, symbols, depth, list)
  for _, symbol in ipairs(symbols) do
    tasks.breathe(task)
    if #list >= max_symbols then
      return
    end
    local range = symbol.range or symbol.location.range
    table.insert(list, {
      name = symbol.name,
      kind = kind_of(symbol),
      detail = symbol.detail,
      line = (symbol.selectionRange or range).start.line + 1,
      last = range["end"].line + 1,
      depth = depth,
    })
    flatten(task, symbol.children or {}, depth + 1, list)
  end
end

-- Returns a client that knows the symbols of its workspace.
local function workspace_client(task, path)
  local method = "workspace/symbol"
  local clients = vim.lsp.get_clients({ method = method })
  if #clients == 0 and path then
    local buf, loaded = servers.buffer(task, path)
    clients = servers.clients(task, buf, method, loaded)
  end
  return clients[1]
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
    flatten(task, servers.request(task, client, "textDocument/documentSymbol", params, buf) or {}, 0, list)
    return { server = client.name, list = list }
  end
  local client = workspace_client(task, args.path)
  if not client then
    tasks.fail(
      "No language server that knows the symbols of the workspace is attached. Name a file of the language as path, "
        .. "so that its server is started, or use your own search."
    )
  end
  local found = servers.request(task, client, "workspace/symbol", { query = args.query }, 0) or {}
  for i, symbol in ipairs(found) do
    if i > max_symbols then
      break
    end
    tasks.breathe(task)
    local at =
      location(vim.tbl_extend("keep", symbol.location, { range = { start = { line = 0 }, ["end"] = { line = 0 } } }))
    local entry = { name = symbol.name, kind = kind_of(symbol), detail = symbol.containerName, depth = 0 }
    table.insert(list, vim.tbl_extend("error", entry, at))
  end
  return { server = client.name, list = list }
end

return M
