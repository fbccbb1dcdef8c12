--- Changes that language servers propose: renames and code actions. Nothing is applied here: the host does that, with
--- permission.
local M = {}

local api = vim.api
local servers = require("nvim-acp.knowledge.servers")
local tasks = require("nvim-acp.knowledge.task")

-- Adds the changedticks of the loaded files that an edit names, so that the host sees whether they have changed since.
local function proposal(client, edit)
  local uris = vim.tbl_keys(edit.changes or {})
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      table.insert(uris, change.textDocument.uri)
    end
  end
  local ticks = vim.empty_dict()
  for _, uri in ipairs(uris) do
    local path = uri:match("^file:") and vim.uri_to_fname(uri)
    local buf = path and require("nvim-acp.files.buffer").find(path)
    if buf then
      ticks[path] = api.nvim_buf_get_changedtick(buf)
    end
  end
  return { server = client.name, encoding = client.offset_encoding or "utf-16", edit = edit, ticks = ticks }
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

-- Returns the buffer of a file and the server that answers a request for it, and whether the file was loaded for that.
local function server(task, path, method, what)
  local buf, loaded = servers.buffer(task, path)
  local client = servers.clients(task, buf, method, loaded)[1]
  if not client then
    tasks.fail(servers.missing(buf, what))
  end
  return buf, client, loaded
end

--- Returns the edit that renames a symbol in the workspace.
---@param task acp.Task
---@param args { path: string, line: integer?, symbol: string, name: string }
---@return table
function M.rename(task, args)
  local method = "textDocument/rename"
  local buf, client = server(task, args.path, method, "rename")
  local position = servers.place(task, buf, args.line, args.symbol)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    position = position(client),
    newName = args.name,
  }
  local edit = servers.request(task, client, method, params, buf)
  if not edit then
    tasks.fail(("%s cannot rename %s"):format(client.name, args.symbol))
  end
  return proposal(client, edit)
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
  local buf, client, loaded = server(task, args.path, method, "code actions")
  local first, last = args.line, math.max(args.last or args.line, args.line)
  local count = api.nvim_buf_line_count(buf)
  if first < 1 or last > count then
    tasks.fail(("there is no line %d, the file has %d"):format(first < 1 and first or last, count))
  end
  if loaded then
    require("nvim-acp.knowledge.diagnostics").settle(task, buf, { client }, 5000)
  end
  local start = servers.place(task, buf, first)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buf) },
    range = { start = start(client), ["end"] = servers.end_of(buf, last, client) },
    context = { diagnostics = diagnostics_in(buf, first, last), triggerKind = 1 },
  }
  local actions = vim.tbl_filter(function(action)
    return not action.disabled
  end, servers.request(task, client, method, params, buf) or {})
  if not args.title or args.title == "" then
    return {
      server = client.name,
      titles = vim.tbl_map(function(action)
        return action.title
      end, actions),
    }
  end
  local action = choose(actions, args.title)
  if not action then
    tasks.fail(("no code action, or more than one, is called %q there"):format(args.title))
  end
  if not action.edit and action.data then
    action = servers.request(task, client, "codeAction/resolve", action, buf) or action
  end
  if not action.edit then
    tasks.fail(("%q runs a command of %s, which this tool does not do"):format(action.title, client.name))
  end
  local result = proposal(client, action.edit)
  result.command = command_of(action)
  return result
end

return M
