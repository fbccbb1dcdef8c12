--- A place that an agent shows the user: in a window beside theirs, so that neither focus nor cursor moves.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local ns = api.nvim_create_namespace("nvim-acp.shown")

local marked = 3000 -- milliseconds for which the lines are marked

-- Marks lines for a moment.
local function mark(buf, first, last)
  require("nvim-acp.ui.style").define()
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for line = first, math.min(last, first + 100, api.nvim_buf_line_count(buf)) do
    api.nvim_buf_set_extmark(buf, ns, line - 1, 0, { line_hl_group = "AcpFollow" })
  end
  vim.defer_fn(function()
    if api.nvim_buf_is_valid(buf) then
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
  end, marked)
end

--- Shows a place. Where that is not possible within a moment, the user is told of it.
---@param task acp.Task
---@param args { session: string, path: string, name: string, line: integer, last: integer } name: path as it is said
---@return { shown: boolean, line: integer }
function M.run(task, args)
  local beside, stat = require("nvim-acp.files.beside"), vim.uv.fs_stat(args.path)
  local function pause()
    tasks.sleep(task, 1)
  end
  if not beside.load(args.path, task.confined, pause) and (not stat or stat.type ~= "file") then
    tasks.fail("no such file: " .. require("nvim-acp.knowledge.servers").name(args.path))
  end
  pause()
  for _ = 1, 20 do -- the user may be at the command line, or choose from a menu
    local ok, buf, line = pcall(beside.show, args.path, args.line, true, task.confined)
    if ok and buf then
      if line > 0 then
        mark(buf, line, math.max(args.last, line))
      end
      return { shown = true, line = line }
    end
    tasks.sleep(task, 100)
  end
  local s = require("nvim-acp.state").sessions[args.session]
  local place = args.line > 0 and ("%s:%d"):format(args.name, args.line) or args.name
  local by = require("nvim-acp.ui.text").visible(s and s.agent_title or "the agent")
  require("nvim-acp.ui.message").info(("%s would show you %s"):format(by, place))
  return { shown = false, line = args.line }
end

return M
