--- Reads diagnostics without holding the editor. Neovim copies all that it is asked for: where there are many, they
--- are asked for line by line. What is left is that it looks at all of a buffer for each answer, and copies those of
--- one line at once.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")

local at_once = 100 -- diagnostics

-- Returns the number of diagnostics of a buffer that have a severity.
local function count(buf, severity)
  return vim.diagnostic.count(buf, { severity = severity })[severity] or 0
end

-- Calls a function with diagnostics line by line until there were so many, and returns whether it came so far in time.
local function lines(task, buf, severity, many, till, each)
  local found, line = 0, 0
  local last = api.nvim_buf_is_loaded(buf) and api.nvim_buf_line_count(buf) or math.huge
  while found < many and line <= last do
    if vim.uv.now() >= till or not api.nvim_buf_is_valid(buf) then
      return false
    end
    for _, d in ipairs(vim.diagnostic.get(buf, { severity = severity, lnum = line })) do
      if d.lnum == line and found < many then -- else it begins before
        found = found + 1
        each(d)
      end
    end
    line = line + 1
    tasks.breathe(task)
  end
  return found >= many
end

--- Calls a function with the diagnostics of a buffer that have a severity, the first ones if there are more than most.
---@param task acp.Task
---@param buf integer
---@param severity vim.diagnostic.Severity
---@param most integer
---@param till integer when it gives up, in milliseconds of vim.uv.now()
---@param each fun(d: vim.Diagnostic)
---@param only_whole boolean? it is called for all or none
---@return integer count how many there are
---@return boolean whole with only_whole, all of them were given
function M.each(task, buf, severity, most, till, each, only_whole)
  tasks.breathe(task)
  if not api.nvim_buf_is_valid(buf) then
    return 0, true
  end
  local n = count(buf, severity)
  tasks.breathe(task)
  if n == 0 or most <= 0 or only_whole and n > most or not api.nvim_buf_is_valid(buf) then
    return n, n == 0
  elseif n > at_once then
    return n, lines(task, buf, severity, math.min(n, most), till, each)
  end
  local list = vim.diagnostic.get(buf, { severity = severity })
  for i = 1, math.min(#list, most) do
    each(list[i])
  end
  tasks.breathe(task)
  return n, true
end

return M
