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
---@field exit string "exit 3", "SIGTERM", "detached"; empty while it runs and after success
---@field over boolean? no host of this Neovim has it: its session was closed or detached, or the host has ended
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

-- Has what a terminal showed shown anew, from the beginning, where it is open.
local function renew(view)
  if buffer.valid(view) and #vim.fn.win_findbuf(view.buf) > 0 then
    buffer.replace(view)
    buffer.sync(view)
  elseif buffer.valid(view) then
    require("nvim-acp.ui.deferred").delete(view.buf)
  end
end

-- Opens the terminal of a command that has just started, if configured, and of one that a load reports again, if it was
-- open.
local function began(view)
  local open = require("nvim-acp.config").options.terminal.open
  renew(view)
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

-- Ends what the user can do with a terminal. Its output stays.
local function finish(view, how)
  if view.running then
    view.running, view.waiting, view.exit = false, false, how
  end
  view.over = true
  changed(view, true)
end

--- Handles the end of the host, or of the connection to it: terminals that were open can still be read.
---@param how "ended"|"detached"
function M.lost(how)
  for id, view in pairs(vim.tbl_extend("error", {}, views)) do
    if not buffer.valid(view) then
      forget(id)
    elseif not view.over then
      finish(view, how)
    end
  end
end

--- Handles a session's end, before its windows close: nobody feeds a terminal anew that gets another width by that.
---@param s acp.Session
function M.forgotten(s)
  for _, view in pairs(views) do
    if view.session == s.id and not view.over then
      finish(view, "ended")
    end
  end
end

-- Forgets a terminal of a host that is gone where another host uses its id.
local function make_way(t)
  local old = views[t.id]
  if old and old.over and (old.session ~= t.session or old.command ~= t.command) then
    forget(t.id)
  end
end

--- Applies the host's list of terminals.
---@param list table[]
function M.update(list)
  for _, t in ipairs(list) do
    make_way(t)
    if not views[t.id] then
      views[t.id] = { number = t.number }
      table.insert(order, t.id)
      table.sort(order, function(a, b)
        return views[a].number < views[b].number
      end)
    end
    local view = views[t.id]
    local was, over = view.waiting, view.over
    view.over = nil
    for _, key in ipairs({ "id", "session", "command", "running", "waiting", "exit", "input" }) do
      view[key] = t[key]
    end
    if t.gone then
      forget(t.id)
      finish(view, "ended")
    else
      if t.started then
        began(view)
      elseif over then
        renew(view)
      end
      changed(view, was)
    end
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
