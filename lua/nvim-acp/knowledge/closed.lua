--- Language servers that have left files while an agent works: they have ended, or were detached.
local M = {}

local api = vim.api
local requests = require("nvim-acp.knowledge.requests")
local servers = require("nvim-acp.knowledge.servers")

---@type table<integer, table<string, { id: integer, at: integer, type: string }>> by buffer and the server's name
local left = {}
---@type table<string, integer> by session, when its last turn began, in milliseconds of vim.uv.now()
local turns = {}

-- Returns what tells the files that a server looks at from others.
local function type_of(path)
  return vim.fn.fnamemodify(path, ":e")
end

--- Notes that a turn of a session begins: servers that have left before are not missed after it.
---@param session string
function M.begin(session)
  turns[session] = vim.uv.now()
end

--- Notes that a client has left a buffer.
---@param id integer client
---@param buf integer
function M.detached(id, buf)
  local client = vim.lsp.get_client_by_id(id)
  if client and api.nvim_buf_is_valid(buf) then
    left[buf] = left[buf] or {}
    left[buf][client.name] = { id = id, at = vim.uv.now(), type = type_of(api.nvim_buf_get_name(buf)) }
  end
end

--- Notes that a client looks at a buffer, maybe instead of one that has left.
---@param client vim.lsp.Client
---@param buf integer
function M.attached(client, buf)
  if left[buf] then
    left[buf][client.name] = nil
  end
end

-- Returns how a server has left, in words.
local function how(name, id)
  local client = vim.lsp.get_client_by_id(id)
  local over = not client or requests.is_over(client)
  return servers.name(name) .. (over and " has ended" or " was detached")
end

--- Returns by types, as file extensions, which servers have left files of these since a session's turn began.
---@param session string
---@return table<string, string> types
function M.types(session)
  local list = {}
  for _, clients in pairs(left) do
    for name, at in pairs(clients) do
      if turns[session] and at.at >= turns[session] then
        list[at.type] = how(name, at.id)
      end
    end
  end
  return list
end

--- Says which servers have left a buffer since a session's turn began, or are about to, each as "NAME has ended".
---@param session string
---@param buf integer
---@param clients vim.lsp.Client[] that were asked
---@return string[]
function M.of(session, buf, clients)
  local list = {}
  for name, at in pairs(left[buf] or {}) do
    if turns[session] and at.at >= turns[session] then
      table.insert(list, how(name, at.id))
    end
  end
  for _, client in ipairs(clients) do
    local text = requests.is_over(client) and how(client.name, client.id)
    if text and not vim.list_contains(list, text) then
      table.insert(list, text)
    end
  end
  table.sort(list)
  return list
end

return M
