--- Answers the host's questions for the tools of agents: what the editor knows, and what it shows the user.
--- Each answer is a task of its own.
local M = {}

---@type table<integer, acp.Task|true> by the host's number of the question
local asked = {}

-- The function that answers each question.
local answers = {
  buffers = { "knowledge.buffers", "list" },
  errors = { "knowledge.diagnostics", "errors" },
  served = { "knowledge.diagnostics", "served" },
  disk_changed = { "knowledge.watched", "tell" },
  diagnostics = { "knowledge.diagnostics", "list" },
  locations = { "knowledge.symbols", "locations" },
  hover = { "knowledge.symbols", "hover" },
  symbols = { "knowledge.symbols", "list" },
  rename = { "knowledge.changes", "rename" },
  code_actions = { "knowledge.changes", "code_actions" },
  same = { "knowledge.changes", "same" },
  quickfix = { "places.quickfix", "list" },
  set_quickfix = { "places.quickfix", "set" },
  annotate = { "places.annotations", "add" },
  open = { "places.open", "run" },
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
---@param args table with within: so many milliseconds the host waits
function M.ask(id, question, args)
  asked[id] = true
  local answer = answers[question]
  if not answer then
    return reply(id, nil, "the editor has no answer to " .. question)
  end
  local task = require("nvim-acp.knowledge.task").start(function(task)
    task.confined = args.confined == true
    reply(id, require("nvim-acp." .. answer[1])[answer[2]](task, args))
  end, function(problem)
    reply(id, nil, problem)
  end, args.within)
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
