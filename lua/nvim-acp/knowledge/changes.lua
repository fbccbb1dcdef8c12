--- Changes that language servers propose: renames and code actions. Nothing is applied here: the host does that, with
--- permission.
local M = {}

local api = vim.api
local requests = require("nvim-acp.knowledge.requests")
local servers = require("nvim-acp.knowledge.servers")
local tasks = require("nvim-acp.knowledge.task")

-- Returns the edits of a list that say which text takes the place of which; nothing if one of them does not.
local function edits_of(client, list)
  local edits = requests.list(list)
  for _, edit in ipairs(edits) do
    if not requests.is_range(edit.range) or type(edit.newText) ~= "string" then
      tasks.fail(servers.name(client.name) .. " proposes a change that says neither where nor what")
    end
  end
  return edits
end

-- Returns an edit of the workspace without what means nothing in it.
local function clean(client, edit)
  local out = { changes = vim.empty_dict(), documentChanges = {} }
  for uri, edits in pairs(type(edit.changes) == "table" and edit.changes or {}) do
    out.changes[uri] = edits_of(client, edits)
  end
  for _, change in ipairs(requests.list(edit.documentChanges)) do
    local document = type(change.textDocument) == "table" and change.textDocument or {}
    if type(change.kind) == "string" then
      table.insert(out.documentChanges, { kind = change.kind })
    elseif type(document.uri) == "string" then
      table.insert(
        out.documentChanges,
        { textDocument = { uri = document.uri }, edits = edits_of(client, change.edits) }
      )
    end
  end
  return out
end

-- Returns the changedticks of all loaded buffers: a server is asked for an edit of the texts that they have now.
local function texts()
  local ticks = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    ticks[buf] = api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_changedtick(buf) or nil
  end
  return ticks
end

-- Returns an edit with the changedticks that the loaded files which it names had when the server was asked, so that the
-- host sees whether they have changed since, and why other servers have not answered.
local function proposal(client, edit, asked, failed)
  edit = clean(client, edit)
  local uris = vim.tbl_keys(edit.changes)
  for _, change in ipairs(edit.documentChanges) do
    table.insert(uris, change.textDocument and change.textDocument.uri)
  end
  local ticks = vim.empty_dict()
  for _, uri in ipairs(uris) do
    local path = uri:match("^file:") and vim.uri_to_fname(uri)
    local buf = path and require("nvim-acp.files.buffer").find(path)
    if buf then
      ticks[path] = asked[buf] or api.nvim_buf_get_changedtick(buf)
    end
  end
  return {
    server = servers.name(client.name),
    encoding = client.offset_encoding or "utf-16",
    edit = edit,
    ticks = ticks,
    failed = failed,
  }
end

--- Reports whether files still have the changedticks that a proposal was made for.
---@param _ acp.Task
---@param args { ticks: table<string, integer> }
---@return boolean
function M.same(_, args)
  for path, tick in pairs(args.ticks) do
    local buf = require("nvim-acp.files.buffer").find(path)
    if not buf or api.nvim_buf_get_changedtick(buf) ~= tick then
      return false
    end
  end
  return true
end

--- Returns the edit that renames a symbol in the workspace.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string, name: string }
---@return table
function M.rename(task, args)
  local method = "textDocument/rename"
  local buf, clients = servers.open(task, args.path, method, "rename")
  local position = servers.place(task, buf, args.line, args.symbol)
  local asked = texts()
  local answers, failed, names = requests.request(task, clients, method, function(client)
    return {
      textDocument = { uri = vim.uri_from_bufnr(buf) },
      position = position(client),
      newName = args.name,
    }
  end, buf)
  local empty
  for _, answer in ipairs(answers) do -- edits of two are not merged: both may change the same places
    if type(answer.result) == "table" then
      local proposed = proposal(answer.client, answer.result, asked, failed)
      if next(proposed.edit.changes) or #proposed.edit.documentChanges > 0 then
        return proposed
      end
      empty = empty or proposed
    end
  end
  if not empty then
    tasks.fail(table.concat({ ("%s cannot rename %s"):format(names, args.symbol), unpack(failed) }, ". "))
  end
  return empty
end

-- Returns the diagnostics in some lines, as a server knows them.
local function diagnostics_in(buf, first, last)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    local own = d.user_data and d.user_data.lsp
    if own and own.range and d.lnum >= first - 1 and d.lnum <= last - 1 then
      table.insert(list, own)
    end
  end
  return list
end

local function choose(actions, title)
  local found = {}
  for _, action in ipairs(actions) do
    if action.title == title then
      return action
    elseif action.title:lower():find(title:lower(), 1, true) then
      table.insert(found, action)
    end
  end
  return #found == 1 and found[1] or nil
end

-- Returns the name of the command that belongs to an action, if there is one.
local function command_of(action)
  local command = action.command
  if type(command) == "table" then
    command = command.command
  end
  return type(command) == "string" and command ~= "" and command or nil
end

--- Lists the code actions for some lines, or returns the edit of one of them, with the name of the command that it
--- would run after that.
---@param task acp.Task
---@param args { path: string, line: integer, last: integer?, title: string? }
---@return table
function M.code_actions(task, args)
  local method = "textDocument/codeAction"
  local buf, clients, loaded = servers.open(task, args.path, method, "code actions")
  local first, last = args.line, math.max(args.last or args.line, args.line)
  local count = api.nvim_buf_line_count(buf)
  if last > count then
    tasks.fail(("there is no line %d, the file has %d"):format(last, count))
  end
  if loaded then
    require("nvim-acp.knowledge.idle").wait(task, buf, clients, math.min(5000, tasks.left(task) / 2))
  end
  local start = servers.place(task, buf, first)
  local asked = texts()
  local answers, failed, names = requests.request(task, clients, method, function(client)
    return {
      textDocument = { uri = vim.uri_from_bufnr(buf) },
      range = { start = start(client), ["end"] = servers.end_of(buf, last, client) },
      context = { diagnostics = diagnostics_in(buf, first, last), triggerKind = 1 },
    }
  end, buf)
  local actions, titles, client_of = {}, {}, {}
  for _, answer in ipairs(answers) do
    for _, action in ipairs(requests.list(answer.result)) do
      if not action.disabled and type(action.title) == "string" then
        table.insert(actions, action)
        table.insert(titles, action.title)
        client_of[action] = answer.client
      end
    end
  end
  if not args.title or args.title == "" then
    return { server = names, titles = titles, failed = failed }
  end
  local action = choose(actions, args.title)
  if not action then
    local text = ("no code action, or more than one, is called %q there"):format(args.title)
    tasks.fail(table.concat({ text, unpack(failed) }, ". "))
  end
  local client = client_of[action]
  if not action.edit and action.data then
    local answers_of_it = requests.request(task, { client }, "codeAction/resolve", function()
      return action
    end, buf)
    local resolved = answers_of_it[1].result
    action = type(resolved) == "table" and vim.tbl_extend("keep", resolved, action) or action
  end
  if type(action.edit) ~= "table" then
    local text = "%q runs a command of %s, which this tool does not do"
    tasks.fail(text:format(action.title, servers.name(client.name)))
  end
  local result = proposal(client, action.edit, asked, failed)
  result.command = command_of(action)
  return result
end

return M
