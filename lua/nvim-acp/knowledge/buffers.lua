--- What is open in the editor: files, where they are shown, where the cursor is and what is selected.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")

-- Returns the name of a file's buffer, nil if it is none.
local function file_of(buf)
  local name = api.nvim_buf_get_name(buf)
  if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and name:sub(1, 1) == "/" then
    return name
  end
end

-- Returns the window in which the user works on a file: the current one, or the one before a chat or a float.
local function current()
  for _, win in ipairs({ api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }) do
    if file_of(api.nvim_win_get_buf(win)) then -- 0 is the current one
      return win
    end
  end
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if file_of(api.nvim_win_get_buf(win)) then
      return win
    end
  end
end

-- Returns the lines of the selection in a window, nil if there is none now.
local function selection(win)
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if win ~= api.nvim_get_current_win() or not mode:match("[vVsS\22\19]") then
    return nil
  end
  local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  local linewise = mode:lower() == "v" and mode ~= mode:lower() or mode == "S"
  local lines = api.nvim_buf_get_lines(0, from[2] - 1, math.min(to[2], from[2] + 99), false)
  if not linewise then
    if #lines == to[2] - from[2] + 1 then
      lines[#lines] = lines[#lines]:sub(1, to[3])
    end
    lines[1] = lines[1]:sub(from[3])
  end
  return { first = from[2], last = to[2], text = table.concat(lines, "\n"):sub(1, 4096) }
end

-- Returns the lines of a buffer that each of its windows shows.
local function shown(buf)
  local list = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local range = api.nvim_win_call(win, function()
      return { vim.fn.line("w0"), vim.fn.line("w$") }
    end)
    table.insert(list, range)
  end
  return list
end

local most = 200 -- files that are listed

-- Returns the buffers of the open files, those first that the user sees or has changed, and how many there are.
local function relevant(task)
  local first, others, count = {}, {}, 0
  for _, buf in ipairs(api.nvim_list_bufs()) do
    tasks.breathe(task)
    if api.nvim_buf_is_valid(buf) and file_of(buf) then
      local seen = vim.bo[buf].modified or #vim.fn.win_findbuf(buf) > 0
      if seen or vim.bo[buf].buflisted then
        count = count + 1
        table.insert(seen and first or others, buf)
      end
    end
  end
  return vim.list_slice(vim.list_extend(first, others), 1, most), count
end

--- Returns the open files.
---@param task acp.Task
---@return { files: table[], count: integer }
function M.list(task)
  local files, here = {}, current()
  local bufs, count = relevant(task)
  for _, buf in ipairs(bufs) do
    tasks.breathe(task)
    local name = api.nvim_buf_is_valid(buf) and file_of(buf)
    if name then
      local is_current = here and api.nvim_win_is_valid(here) and api.nvim_win_get_buf(here) == buf
      local cursor = is_current and api.nvim_win_get_cursor(here)
      table.insert(files, {
        path = name,
        modified = vim.bo[buf].modified,
        lines = api.nvim_buf_line_count(buf),
        shown = shown(buf),
        current = is_current or false,
        cursor = cursor and { cursor[1], cursor[2] + 1 } or nil,
        selection = is_current and selection(here) or nil,
      })
    end
  end
  return { files = files, count = count }
end

return M
