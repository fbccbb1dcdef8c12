--- Answers the host's questions about what the editor knows, for the tools of agents. Each answer is a task of its own.
local M = {}

---@type table<integer, acp.Task|true> by the host's number of the question
local asked = {}

-- The function that answers each question.
local answers = {
  buffers = { "buffers", "list" },
  errors = { "diagnostics", "errors" },
  diagnostics = { "diagnostics", "list" },
  locations = { "symbols", "locations" },
  hover = { "symbols", "hover" },
  symbols = { "symbols", "list" },
  rename = { "changes", "rename" },
  code_actions = { "changes", "code_actions" },
  same = { "changes", "same" },
}

local function reply(id, result, problem)
  if asked[id] then
    asked[id] = nil
    local text = result ~= nil and vim.json.encode(result) or ""
    require("nvim-acp.rpc").notify("known", { id = id, result = text, problem = problem or "" })
  end
end

--- Answers a question of the host, with the verb "known".
---@param id integer
---@param question string
---@param args table
function M.ask(id, question, args)
  asked[id] = true
  local answer = answers[question]
  if not answer then
    return reply(id, nil, "the editor has no answer to " .. question)
  end
  local task = require("nvim-acp.knowledge.task").start(function(task)
    reply(id, require("nvim-acp.knowledge." .. answer[1])[answer[2]](task, args))
  end, function(problem)
    reply(id, nil, problem)
  end)
  asked[id] = asked[id] and task
end

--- Drops a question that nobody waits for any more.
---@param id integer
function M.cancel(id)
  local task = asked[id]
  asked[id] = nil
  if task then
    require("nvim-acp.knowledge.task").cancel(task)
  end
end

return M
