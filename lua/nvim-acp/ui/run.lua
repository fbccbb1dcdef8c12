--- Runs programs and returns all that they print: vim.system of Neovim 0.10 closes their output as they end.
local M = {}

---@class acp.Output
---@field code integer 128 and the signal that has ended it; 124: it took too long; -1: it could not be started
---@field stdout string
---@field stderr string

--- Runs a program, and calls back when it has ended.
---@param cmd string[]
---@param cwd string?
---@param done fun(out: acp.Output)
---@return integer? job nil if it could not be started
function M.start(cmd, cwd, done)
  local out = { code = -1, stdout = "", stderr = "" }
  local function keep(_, lines, name)
    out[name] = table.concat(lines, "\n")
  end
  local ok, job = pcall(vim.fn.jobstart, cmd, {
    cwd = cwd,
    stdin = "null",
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = keep,
    on_stderr = keep,
    on_exit = function(_, code)
      out.code = code
      done(out)
    end,
  })
  if ok and job > 0 then
    return job
  end
  out.stderr = tostring(job)
  done(out)
end

--- Runs a program, and waits until it has ended.
---@param cmd string[]
---@param cwd string?
---@param limit integer? milliseconds
---@return acp.Output
function M.wait(cmd, cwd, limit)
  local out
  local job = M.start(cmd, cwd, function(result)
    out = result
  end)
  local function ended()
    return out ~= nil
  end
  if job and not vim.wait(limit or 2 ^ 31 - 1, ended, 5) then
    vim.fn.jobstop(job)
    return { code = 124, stdout = "", stderr = "" }
  end
  return out
end

return M
