--- The user's quickfix lists, for agents: the current one is read, a new one is made.
local M = {}

local tasks = require("nvim-acp.knowledge.task")

local most = 500 -- entries that are read

---@class acp.Entry a place that an agent names
---@field path string real
---@field line integer 1-based
---@field col integer 1-based, in bytes; 0: none
---@field kind "error"|"warning"|"info"|"note"|""
---@field text string

local kinds = { E = "error", W = "warning", I = "info", N = "note" }

--- Returns the current list.
---@param task acp.Task
---@return { title: string, count: integer, idx: integer, items: table[] }
function M.list(task)
  local list = vim.fn.getqflist({ id = 0, title = 0, size = 0, idx = 0 })
  local items = {}
  for i = 1, math.min(list.size, most) do
    local item = vim.fn.getqflist({ id = list.id, idx = i, items = 0 }).items[1]
    if not item then
      break -- another list has taken its place
    end
    local name = item.bufnr > 0 and vim.api.nvim_buf_is_valid(item.bufnr) and vim.api.nvim_buf_get_name(item.bufnr)
      or ""
    table.insert(items, {
      path = name:sub(1, 1) == "/" and name or "",
      line = item.lnum,
      col = item.col,
      kind = kinds[item.type:upper()] or "",
      text = item.text:sub(1, 1000),
    })
    tasks.breathe(task)
  end
  return { title = list.title, count = list.size, idx = list.idx, items = items }
end

--- Makes a new list, which is the current one then; those of before stay. No window is opened.
---@param task acp.Task
---@param args { session: string, title: string, items: acp.Entry[] }
---@return integer count
function M.set(task, args)
  local items, text = {}, require("nvim-acp.ui.text")
  for _, item in ipairs(args.items) do
    local stat = vim.uv.fs_stat(item.path)
    if (not stat or stat.type ~= "file") and vim.fn.bufloaded(item.path) == 0 then
      tasks.fail("no such file: " .. require("nvim-acp.knowledge.servers").name(item.path))
    end
    table.insert(items, {
      bufnr = require("nvim-acp.files.load").add(item.path),
      lnum = item.line,
      col = item.col,
      type = item.kind:sub(1, 1):upper(),
      text = text.visible(item.text),
    })
    tasks.breathe(task)
  end
  local s = require("nvim-acp.state").sessions[args.session]
  local by = text.line(s and s.agent_title or "agent", 40)
  local title = text.line(args.title, 80)
  require("nvim-acp.ui.quickfix").set(" ", { nr = "$", title = ("%s (%s)"):format(title, by), items = items })
  local found = #items == 0 and by .. " has emptied the quickfix list"
    or ("%s has made a quickfix list of %d: %s"):format(by, #items, title)
  require("nvim-acp.ui.message").info(found)
  return #items
end

return M
