--- The buffer of a command: a Neovim terminal that the host feeds, with the size of the window that shows it.
local M = {}

local api = vim.api
local rpc = require("nvim-acp.rpc")

---@param view acp.TerminalView
---@return boolean
function M.valid(view)
  return view.buf ~= nil and api.nvim_buf_is_loaded(view.buf)
end

-- Stops the command. Only the agent can stop a command that it runs by itself.
local function stop(view)
  if not view.running then
    local detached = view.over and view.exit == "detached" and "the command is detached: :AcpAttach"
    return require("nvim-acp.ui.message").info(detached or "the command has ended")
  elseif not view.input then
    return require("nvim-acp.ui.message").warn("the agent runs this command itself: stop the turn")
  end
  rpc.notify("terminal_kill", { terminal = view.id })
end

local function map(view, key, desc, fn)
  if key then
    vim.keymap.set("n", key, fn, { buffer = view.buf, nowait = true, desc = "nvim-acp: " .. desc })
  end
end

---@param view acp.TerminalView
local function create(view)
  local keys = require("nvim-acp.config").options.keys
  view.buf, view.chan, view.shown, view.cols = api.nvim_create_buf(false, true), nil, nil, nil
  vim.bo[view.buf].bufhidden = "hide"
  vim.b[view.buf].acp_session = view.session
  vim.b[view.buf].acp_terminal = view.id
  require("nvim-acp.ui.fixed").terminal(view.buf)
  require("nvim-acp.ui.keys").map(view.buf)
  map(view, keys.stop, "stop the command", function()
    stop(view)
  end)
  map(view, keys.close, "close the window", function()
    local closed = require("nvim-acp.ui.origin").close(api.nvim_get_current_win())
    if not closed then -- the last window shows another buffer instead
      vim.wo.winfixbuf = false
      api.nvim_win_set_buf(0, api.nvim_create_buf(true, false))
    end
  end)
end

local function name(view)
  require("nvim-acp.ui.bufname").set(view.buf, { "Terminal", view.command })
end

-- Makes the buffer a terminal with the size of its window, which then follows its end.
local function connect(view, win)
  api.nvim_win_call(win, function()
    view.chan = api.nvim_open_term(view.buf, {
      on_input = function(_, _, _, data)
        if view.input and view.running and api.nvim_get_mode().mode == "t" then
          rpc.notify("terminal_input", { terminal = view.id, data = data })
        end
      end,
    })
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(view.buf), 0 }) -- a picker may have left Terminal mode on
  end)
end

-- Before 0.11 a terminal does not rewrap its lines at another width: a new buffer replaces the old one and is fed
-- again. So it does for one that was a cell wide, on any version: lines with wide characters do not come back whole.
local function stale(view, cols)
  return view.chan and view.cols and cols ~= view.cols and vim.fn.has("nvim-0.11") == 0
end

--- Replaces the buffer by a new one, which is fed from the beginning.
---@param view acp.TerminalView
function M.replace(view)
  local old, wins = view.buf, vim.fn.win_findbuf(view.buf)
  create(view)
  for _, win in ipairs(wins) do
    vim.wo[win].winfixbuf = false
    api.nvim_win_set_buf(win, view.buf)
    vim.wo[win].winfixbuf = true
  end
  connect(view, wins[1])
  require("nvim-acp.ui.deferred").delete(old)
  name(view)
end

--- Reports whether a terminal is one cell wide: a character that takes two would end Neovim there.
---@param view acp.TerminalView
---@return boolean
function M.narrow(view)
  local wins, widest = vim.fn.win_findbuf(view.buf), 0
  for _, win in ipairs(wins) do
    widest = math.max(widest, (require("nvim-acp.terminal.window").size(win)))
  end
  return (#wins > 0 and widest or view.cols or 2) < 2
end

--- Tells the host whether a window shows the terminal, and its size. One that is too narrow shows nothing.
---@param view acp.TerminalView
function M.sync(view)
  local win = M.valid(view) and vim.fn.win_findbuf(view.buf)[1]
  if win then
    require("nvim-acp.terminal.window").dress(view)
  end
  if view.over then
    return -- nobody feeds a new buffer
  elseif win then
    local cols, rows = require("nvim-acp.terminal.window").size(win)
    local narrow = M.narrow(view)
    if stale(view, cols) or view.squeezed and not narrow then
      M.replace(view)
    end
    view.squeezed = narrow
    if cols ~= view.cols or rows ~= view.rows then
      view.cols, view.rows = cols, rows
      rpc.notify("terminal_resize", { terminal = view.id, cols = cols, rows = rows })
    end
  end
  local on = win ~= nil and win ~= false and not view.squeezed
  if view.chan and on ~= view.shown then
    view.shown = on
    rpc.notify("terminal_view", { terminal = view.id, window = view.buf, on = view.shown })
  end
end

--- Creates the buffer if there is none.
---@param view acp.TerminalView
function M.ensure(view)
  if not M.valid(view) then
    create(view)
    name(view)
  end
end

--- Makes the buffer that the window shows a terminal, if it is not one yet.
---@param view acp.TerminalView
---@param win integer
function M.connect(view, win)
  if not view.chan then
    connect(view, win)
  end
  M.sync(view)
end

return M
