--- The `.` key: it repeats the last instruction, on other lines.
local M = {}

local api = vim.api

---@type { run: fun(range: integer[]?), count: integer? }? `count`: on so many lines from the cursor
local last

--- Has `.` repeat an instruction: on as many lines, or with no number on the function or paragraph at the cursor.
---@param run fun(range: integer[]?) repeats it on other lines
---@param line integer the first of its lines
---@param count integer?
function M.set(run, line, count)
  last = { run = run, count = count }
  if api.nvim_get_mode().mode ~= "n" then
    return
  end
  require("nvim-acp.ui.dot").remember(function()
    api.nvim_win_set_cursor(0, { line, 0 }) -- from elsewhere there may be fewer lines
    pcall(require("nvim-acp.ui.ex").normal, ("%dg@_"):format(count or 1), { emsg_silent = true })
  end)
  vim.o.operatorfunc = "v:lua.require'nvim-acp.edit.dot'.run"
end

--- The operator: repeats on the lines of its motion, or on what is at the cursor.
function M.run()
  if last then
    last.run(last.count and { vim.fn.line("'["), vim.fn.line("']") } or nil)
  end
end

return M
