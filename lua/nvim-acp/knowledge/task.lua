--- Tasks: answers that take their time. A task runs in a coroutine, a little at a time, and can be cancelled.
local M = {}

---@class acp.Task
---@field thread thread
---@field since number when it was last resumed, in nanoseconds
---@field cancelled boolean
---@field on_cancel fun()? called when it is cancelled while it waits
---@field failed fun(problem: string) called if it ends with an error

-- How long a task may hold the main loop at a time, in nanoseconds.
local slice = 2e6

local function resume(task, ...)
  if task.cancelled then
    return
  end
  task.since = vim.uv.hrtime()
  local ok, err = coroutine.resume(task.thread, ...)
  if not ok then
    task.failed(type(err) == "table" and err.problem or tostring(err))
  end
end

--- Starts a task.
---@param run fun(task: acp.Task)
---@param failed fun(problem: string)
---@return acp.Task
function M.start(run, failed)
  local task = { since = 0, cancelled = false, failed = failed }
  task.thread = coroutine.create(run)
  resume(task, task)
  return task
end

--- Cancels a task: it is not resumed again.
---@param task acp.Task
function M.cancel(task)
  task.cancelled = true
  if task.on_cancel then
    task.on_cancel()
  end
end

--- Waits until the function that start gets is called, and returns its arguments.
---@param task acp.Task
---@param start fun(done: fun(...))
---@param on_cancel fun()? called if the task is cancelled meanwhile
---@return any
function M.wait(task, start, on_cancel)
  local called = false
  task.on_cancel = on_cancel
  start(function(...)
    if called then
      return
    end
    called, task.on_cancel = true, nil
    local args = vim.F.pack_len(...)
    vim.schedule(function()
      resume(task, vim.F.unpack_len(args))
    end)
  end)
  return coroutine.yield()
end

--- Waits for a time, in milliseconds.
---@param task acp.Task
---@param ms integer
function M.sleep(task, ms)
  M.wait(task, function(done)
    vim.defer_fn(done, ms)
  end)
end

--- Gives way to the user if the task has held the main loop for long enough.
---@param task acp.Task
function M.breathe(task)
  if vim.uv.hrtime() - task.since > slice then
    M.sleep(task, 1)
  end
end

--- Ends the running task with a sentence that the agent is told.
---@param problem string
function M.fail(problem)
  error({ problem = problem }, 0)
end

return M
