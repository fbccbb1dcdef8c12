--- The window of :AcpLog: a line for each message, unfolded by a key, filled by the host as messages come.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.log")

local max_messages = 4000 -- in the window; when there are more the first half is dropped

---@type integer?
local buf
---@type table<string, integer> extmarks of the messages' first lines, by the host's key
local marks = {}
---@type table<integer, string> the host's key, by extmark
local keys = {}
---@type table<string, integer> lines unfolded below a message
local unfolded = {}
---@type string
local filter = ""
local view = 0 -- counts the requests to the host: rows for an earlier one are dropped

local groups = { send = "AcpLogSend", stderr = "AcpLogStderr", info = "AcpLogText" }

local function row_of(key)
  local at = marks[key] and api.nvim_buf_get_extmark_by_id(buf, ns, marks[key], {})
  return at and at[1]
end

local function set(first, last, lines)
  require("nvim-acp.ui.fixed").write(buf, first, last, lines)
end

local function ask(on)
  view = view + 1
  require("nvim-acp.rpc").notify("log", { on = on, filter = filter, view = view })
end

-- Returns the message at the cursor.
local function here()
  local last = api.nvim_win_get_cursor(0)[1] - 1
  local found = api.nvim_buf_get_extmarks(buf, ns, { last, 0 }, 0, { limit = 1 })[1]
  return found and keys[found[1]]
end

local function toggle()
  local key = here()
  local row = key and row_of(key)
  if not row then
    return
  elseif unfolded[key] then
    set(row + 1, row + 1 + unfolded[key], {})
    unfolded[key] = nil
    return api.nvim_win_set_cursor(0, { row + 1, 0 })
  end
  require("nvim-acp.rpc").notify("log_entry", { key = key })
end

local function title()
  local text = filter == "" and "all messages" or filter
  local bar = require("nvim-acp.ui.bar")
  local keys_of = "<Tab> unfold   f filter   q close "
  local parts = { { "AcpWinbar", " log  " }, { "AcpWinbarDim", text }, bar.right, keys_of }
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    bar.set(win, "winbar", parts)
  end
end

local function refilter()
  require("nvim-acp.ui.input").ask("Filter (text, or dir: method: agent: session:)", filter, function(text)
    M.open(vim.trim(text))
  end)
end

local function create()
  buf = require("nvim-acp.ui.reader").show("log", { "no agent has run yet" }, "")
  local unfold = "unfold this message, or fold it"
  for key, what in pairs({
    ["<Tab>"] = { toggle, unfold },
    ["<CR>"] = { toggle, unfold },
    f = { refilter, "change the filter" },
  }) do
    vim.keymap.set("n", key, what[1], { buffer = buf, nowait = true, desc = what[2] })
  end
  require("nvim-acp.ui.keys").jumps(buf)
  vim.wo.wrap = false
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      buf, marks, keys, unfolded = nil, {}, {}, {}
      if require("nvim-acp.rpc").running() then
        ask(false)
      end
    end,
  })
end

--- Opens the window, or sets the filter of the open one.
---@param words string
function M.open(words)
  require("nvim-acp.ui.style").define()
  filter = words
  if not buf or not api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) == 0 then
    create()
  else
    api.nvim_set_current_win(vim.fn.win_findbuf(buf)[1])
  end
  title()
  ask(true)
end

-- Adds a message at the end, or updates one that has grown.
local function put(row)
  local at = row_of(row.key)
  if at then
    local last = unfolded[row.key] or 0
    unfolded[row.key] = nil
    set(at, at + 1 + last, { row.head })
  else
    at = api.nvim_buf_line_count(buf)
    local empty = at == 1 and next(marks) == nil
    at = empty and 0 or at
    set(at, empty and 1 or at, { row.head })
  end
  local id = api.nvim_buf_set_extmark(buf, ns, at, 0, {
    id = marks[row.key],
    end_col = #row.head,
    hl_group = groups[row.dir],
    undo_restore = false,
  })
  marks[row.key], keys[id] = id, row.key
end

-- Drops the first messages if there are too many.
local function trim()
  local list = api.nvim_buf_get_extmarks(buf, ns, 0, -1, {})
  if #list <= max_messages then
    return
  end
  local cut = #list - max_messages / 2
  for i = 1, cut do
    local id = list[i][1]
    api.nvim_buf_del_extmark(buf, ns, id)
    local key = keys[id]
    marks[key], keys[id], unfolded[key] = nil, nil, nil
  end
  set(0, list[cut + 1][2], {})
end

--- Shows new messages. Called by the host.
---@param of integer the request they answer
---@param rows { key: string, head: string, dir: string }[]
---@param first boolean they are the first ones of the request
function M.rows(of, rows, first)
  if of ~= view or not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  local follow = vim.tbl_filter(function(win)
    return first or api.nvim_win_get_cursor(win)[1] == api.nvim_buf_line_count(buf)
  end, vim.fn.win_findbuf(buf))
  if first then
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    marks, keys, unfolded = {}, {}, {}
    set(0, -1, { filter == "" and "no agent has run yet" or "no message matches" })
    vim.bo[buf].filetype = "acp-log"
  end
  for _, row in ipairs(rows) do
    put(row)
  end
  trim()
  for _, win in ipairs(follow) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
  end
end

--- Shows a whole message. Called by the host.
---@param key string
---@param lines string[]
function M.text(key, lines)
  local row = buf and api.nvim_buf_is_valid(buf) and row_of(key)
  if not row or unfolded[key] then
    return
  end
  set(row + 1, row + 1, lines)
  unfolded[key] = #lines
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if api.nvim_win_get_cursor(win)[1] == row + 1 then
      require("nvim-acp.ui.window").reveal(win, row + 1, row + 1 + #lines)
    end
  end
end

--- Saves the messages of the current session's agent.
---@param path string
function M.save(path)
  local s = require("nvim-acp.state").current()
  local args = { path = path, session = s and s.id or "" }
  require("nvim-acp.rpc").notify("log_save", args)
end

return M
