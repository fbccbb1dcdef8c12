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

---@alias acp.Problem { message: string, late: boolean? } late if the server has ended or does not answer in time

-- Sends a request to a server. A function is called once with what is wrong or its answer. Returns a function that
-- cancels the request.
local function send(task, client, method, params, buf, answered)
  local id, timer = nil, assert(vim.uv.new_timer())
  local function cancel()
    if timer:is_closing() then
      return
    end
    timer:close()
    if id and new_client then
      client:cancel_request(id)
    elseif id then
      client.cancel_request(id)
    end
  end
  local function late(message)
    if not timer:is_closing() then
      cancel()
      answered({ message = message, late = true })
    end
  end
  local name = servers.name(client.name)
  local function handler(err, result)
    if not timer:is_closing() then
      timer:close()
      answered(err and { message = ("%s: %s"):format(name, err.message or "error") }, result)
    end
  end

  local wait = math.max(math.min(M.wait, tasks.left(task)), 1)
  local till = vim.uv.now() + wait
  local ok
  if new_client then
    ok, id = client:request(method, params, handler, buf)
  else
    ok, id = client.request(method, params, handler, buf)
  end
  if not ok then
    late(servers.ended(name))
  elseif not timer:is_closing() then -- it may have answered at once
    local function check()
      if M.is_over(client) then
        late(servers.ended(name))
      elseif vim.uv.now() >= till then
        local text = "The language server %s has not answered within %.0f s: it may be busy. Try again later."
        late(text:format(name, wait / 1000))
      end
    end
    timer:start(look, look, vim.schedule_wrap(check))
  end
  return cancel
end

--- Asks servers, all at once. Returns what each has answered, in their order, and what is wrong with the others.
---@param task acp.Task
---@param clients vim.lsp.Client[]
---@param method string
---@param params fun(client: vim.lsp.Client): table
---@param buf integer
---@return { client: vim.lsp.Client, name: string, result: any }[] answers
---@return acp.Problem[] problems
function M.ask(task, clients, method, params, buf)
  local answers, problems, cancels = {}, {}, {}
  local left = #clients
  if left > 0 then
    tasks.wait(task, function(done)
      for i, client in ipairs(clients) do
        cancels[i] = send(task, client, method, params(client), buf, function(problem, result)
          answers[i] = not problem and { client = client, name = servers.name(client.name), result = result } or nil
          problems[i] = problem
          left = left - 1
          if left == 0 then
            done()
          end
        end)
      end
    end, function()
      for _, cancel in ipairs(cancels) do
        cancel()
      end
    end)
  end
  local function in_order(by_client)
    local list = {}
    for i = 1, #clients do
      table.insert(list, by_client[i])
    end
    return list
  end
  return in_order(answers), in_order(problems)
end

--- Asks servers like M.ask, and fails if none answers.
---@param task acp.Task
---@param clients vim.lsp.Client[]
---@param method string
---@param params fun(client: vim.lsp.Client): table
---@param buf integer
---@return { client: vim.lsp.Client, name: string, result: any }[] answers
---@return string[] failed why others have not answered
---@return string names of those that have
function M.request(task, clients, method, params, buf)
  local answers, problems = M.ask(task, clients, method, params, buf)
  local failed = vim.tbl_map(function(problem)
    return problem.message
  end, problems)
  if #answers == 0 then
    tasks.fail(table.concat(failed, " "))
  end
  local names = vim.tbl_map(function(answer)
    return answer.name
  end, answers)
  return answers, failed, table.concat(names, ", ")
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
