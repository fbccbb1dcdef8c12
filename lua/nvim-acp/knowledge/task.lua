--- Tasks: answers that take their time. A task runs in a coroutine, a little at a time, and can be cancelled.
local M = {}

---@class acp.Task
---@field thread thread
---@field since number when it was last resumed, in nanoseconds
---@field cancelled boolean
---@field till number when whoever asked gives up, in milliseconds of vim.uv.now()
---@field on_cancel fun()? called when it is cancelled while it waits
---@field failed fun(problem: string) called if it ends with an error
---@field buf integer? which it is about, and which the user may wipe out meanwhile
---@field confined boolean? it is for an agent in a sandbox: no program is started for what that has written

--- What is said of a file whose buffer is wiped out while it is asked about.
M.closed = "the file was closed in the editor meanwhile: ask again"

-- How long a task may hold the main loop at a time, in nanoseconds.
local slice = 2e6

local function resume(task, ...)
  if task.cancelled then
    return
  end
  task.since = vim.uv.hrtime()
  local ok, err = coroutine.resume(task.thread, ...)
  if not ok and type(err) == "table" then
    task.failed(err.problem)
  elseif not ok and task.buf and not vim.api.nvim_buf_is_valid(task.buf) then
    task.failed(M.closed)
  elseif not ok then -- a mistake of ours
    require("nvim-acp.ui.logfile").write(vim.log.levels.ERROR, debug.traceback(task.thread, tostring(err)))
    task.failed("the editor could not make sense of what it was asked or told; its log says more")
  end
end

--- Starts a task.
---@param run fun(task: acp.Task)
---@param failed fun(problem: string)
---@param within integer? milliseconds after which nobody waits for it any more
---@return acp.Task
function M.start(run, failed, within)
  local task = { since = 0, cancelled = false, failed = failed, till = vim.uv.now() + (within or math.huge) }
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

--- Returns how long an answer is still waited for, in milliseconds.
---@param task acp.Task
---@return number
function M.left(task)
  return task.till - vim.uv.now()
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
    called = true
    local args = vim.F.pack_len(...)
    vim.schedule(function()
      task.on_cancel = nil -- not before: it may be cancelled until then, and other requests of its be under way
      resume(task, vim.F.unpack_len(args))
    end)
  end)
  return coroutine.yield()
end

--- Waits for a time, in milliseconds.
---@param task acp.Task
---@param ms integer
---@param on_cancel fun()? called if the task is cancelled meanwhile
function M.sleep(task, ms, on_cancel)
  M.wait(task, function(done)
    vim.defer_fn(done, ms)
  end, on_cancel)
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
