--- Requests to language servers, and what they answer, which may be anything.
local M = {}

local tasks = require("nvim-acp.knowledge.task")
local servers = require("nvim-acp.knowledge.servers")

local new_client = vim.fn.has("nvim-0.11") == 1 -- methods of clients take the client

M.wait = 15000 -- for an answer, in milliseconds
local look = 100 -- how often it is asked whether the server still runs

--- Reports whether a server has ended.
---@param client vim.lsp.Client
---@return boolean
function M.is_over(client)
  return not vim.lsp.get_client_by_id(client.id) or client.rpc.is_closing() == true
end

--- Asks a server, and returns its answer, or what is wrong: late if the server has ended or does not answer in time.
---@param task acp.Task
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buf integer
---@return any result
---@return { message: string, late: boolean? }? problem
function M.ask(task, client, method, params, buf)
  local id, timer = nil, assert(vim.uv.new_timer())
  local function cancel()
    if not timer:is_closing() then
      timer:close()
    end
    if id and new_client then
      client:cancel_request(id)
    elseif id then
      client.cancel_request(id)
    end
  end

  local name = servers.name(client.name)
  local wait = math.max(math.min(M.wait, tasks.left(task)), 1)
  local till = vim.uv.now() + wait
  local problem, result = tasks.wait(task, function(done)
    local function late(message)
      done({ message = message, late = true })
    end
    local function handler(err, answer)
      done(err and { message = ("%s: %s"):format(name, err.message or "error") }, answer)
    end
    local ok
    if new_client then
      ok, id = client:request(method, params, handler, buf)
    else
      ok, id = client.request(method, params, handler, buf)
    end
    if not ok then
      return late(servers.ended(name))
    end
    timer:start(
      look,
      look,
      vim.schedule_wrap(function()
        if M.is_over(client) then
          late(servers.ended(name))
        elseif vim.uv.now() >= till then
          local text = "The language server %s has not answered within %.0f s: it may be busy. Try again later."
          late(text:format(name, wait / 1000))
        end
      end)
    )
  end, cancel)

  if problem and problem.late then
    cancel()
  elseif not timer:is_closing() then
    timer:close()
  end
  return result, problem
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
    tasks.fail(problem.message)
  end
  return result
end

--- Returns the tables of a list that a server has sent: null and other entries that mean nothing are left out.
---@param value any
---@return table[]
function M.list(value)
  local list = {}
  for _, item in ipairs(type(value) == "table" and value or {}) do
    if type(item) == "table" then
      table.insert(list, item)
    end
  end
  return list
end

--- Reports whether a value is a range of the protocol.
---@param value any
---@return boolean
function M.is_range(value)
  local function is_position(at)
    return type(at) == "table" and type(at.line) == "number"
  end
  return type(value) == "table" and is_position(value.start) and is_position(value["end"])
end

return M
