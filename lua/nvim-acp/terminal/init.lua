--- The commands that agents run, as reported by the host.
local M = {}

local api = vim.api
local buffer = require("nvim-acp.terminal.buffer")

---@class acp.TerminalView
---@field id string
---@field number integer the order of starts
---@field session string
---@field command string
---@field running boolean
---@field waiting boolean it seems to wait for input
---@field exit string "exit 3", "SIGTERM"; empty while it runs and after success
---@field input boolean whether the user can type into it
---@field buf integer?
---@field chan integer?
---@field shown boolean? whether a window shows the buffer, as last sent to the host
---@field cols integer? the size last sent to the host
---@field rows integer?
---@field squeezed boolean? it is too narrow, so it shows nothing new

---@type table<string, acp.TerminalView>
local views = {}
---@type string[] ids, oldest first
local order = {}

--- Shows a command's terminal.
---@param id string
---@param how "split"|"float"|nil
---@param enter boolean? false: the cursor stays
function M.open(id, how, enter)
  local view = views[id]
  if not view then
    return require("nvim-acp.ui.message").warn("that terminal no longer exists")
  end
  buffer.ensure(view)
  local win = require("nvim-acp.terminal.window").open(view, how or "split", enter ~= false)
  buffer.connect(view, win)
end

--- Feeds raw output of a command to its buffer.
---@param id string
---@param buf integer the buffer it is for
---@param data string
---@return boolean fed false: that buffer is gone
function M.feed(id, buf, data)
  local view = views[id]
  if not view or view.buf ~= buf or not buffer.valid(view) then
    return false
  elseif buffer.narrow(view) then
    view.squeezed = true -- the next buffer is fed it
    return true
  end
  return (pcall(api.nvim_chan_send, view.chan, data))
end

local function forget(id)
  views[id] = nil
  order = vim.tbl_filter(function(other)
    return other ~= id
  end, order)
end

-- Opens the terminal of a command that has just started, if configured, and of one that a load reports again, if it was
-- open.
local function began(view)
  local open = require("nvim-acp.config").options.terminal.open
  if buffer.valid(view) and #vim.fn.win_findbuf(view.buf) > 0 then
    buffer.replace(view)
    buffer.sync(view)
  elseif buffer.valid(view) then
    api.nvim_buf_delete(view.buf, { force = true })
  end
  if open ~= "manual" and vim.fn.getcmdwintype() == "" then
    M.open(view.id, open, false)
  end
end

local function changed(view, was)
  if buffer.valid(view) then
    require("nvim-acp.terminal.window").dress(view)
    if not view.running and api.nvim_get_current_buf() == view.buf and api.nvim_get_mode().mode == "t" then
      vim.cmd.stopinsert() -- nothing reads input any more
    end
  end
  if view.waiting and not was and api.nvim_get_current_buf() ~= view.buf then
    require("nvim-acp.ui.message").info("a command waits for input (:AcpTerminals): " .. view.command)
  end
end

--- Applies the host's list of terminals.
---@param list table[]
function M.update(list)
  for _, t in ipairs(list) do
    if not views[t.id] then
      views[t.id] = { number = t.number }
      table.insert(order, t.id)
      table.sort(order, function(a, b)
        return views[a].number < views[b].number
      end)
    end
    local view = views[t.id]
    local was = view.waiting
    for _, key in ipairs({ "id", "session", "command", "running", "waiting", "exit", "input" }) do
      view[key] = t[key]
    end
    if t.gone then
      forget(t.id)
    elseif t.started then
      began(view)
    end
    changed(view, was)
  end
end

---@return table[]
function M.list()
  return vim.tbl_map(function(id)
    local v = views[id]
    return {
      id = id,
      session = v.session,
      command = v.command,
      running = v.running,
      waiting = v.waiting,
      exit = v.exit,
      bufnr = buffer.valid(v) and v.buf or nil,
    }
  end, order)
end

api.nvim_create_autocmd({ "WinResized", "BufWinEnter", "BufHidden", "VimResized" }, {
  group = api.nvim_create_augroup("nvim-acp.terminal", {}),
  callback = vim.schedule_wrap(function()
    for _, view in pairs(views) do
      buffer.sync(view)
    end
  end),
})

return M
