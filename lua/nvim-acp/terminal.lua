--- Windows on the commands that agents run: a Neovim terminal buffer each, fed by the host.
local M = {}

local api = vim.api
local rpc = require("nvim-acp.rpc")

---@class acp.TerminalView
---@field id string
---@field session string
---@field command string
---@field running boolean
---@field exit string
---@field input boolean whether the user can type into it
---@field buf integer?
---@field chan integer?

---@type table<string, acp.TerminalView>
local views = {}
local order = {}

local function size_of(win)
  local info = vim.fn.getwininfo(win)[1]
  return api.nvim_win_get_width(win) - info.textoff, api.nvim_win_get_height(win)
end

local function resize(view)
  local win = view.buf and vim.fn.win_findbuf(view.buf)[1]
  if not win then
    return
  end
  local cols, rows = size_of(win)
  if cols ~= view.cols or rows ~= view.rows then
    view.cols, view.rows = cols, rows
    rpc.notify("terminal_resize", { terminal = view.id, cols = cols, rows = rows })
  end
end

local function create(view)
  view.buf = api.nvim_create_buf(false, true)
  vim.bo[view.buf].bufhidden = "hide"
  vim.b[view.buf].acp_session = view.session
  pcall(api.nvim_buf_set_name, view.buf, ("acp://%s/terminal/%s"):format(view.session, view.id))
  vim.keymap.set("n", require("nvim-acp.config").options.keys.stop or "<C-c>", function()
    rpc.notify("terminal_kill", { terminal = view.id })
  end, { buffer = view.buf, desc = "nvim-acp: stop the command" })
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = view.buf, nowait = true })
end

local function start_feed(view)
  view.chan = api.nvim_open_term(view.buf, {
    on_input = function(_, _, _, data)
      if view.input and api.nvim_get_mode().mode == "t" then
        rpc.notify("terminal_input", { terminal = view.id, data = data })
      end
    end,
  })
  rpc.notify("terminal_view", { terminal = view.id, on = true })
end

--- Shows a command's terminal.
---@param id string
---@param how "split"|"float"|nil
function M.open(id, how)
  local view = views[id]
  if not view then
    return require("nvim-acp.message").warn("that terminal is not available")
  end
  local new = not (view.buf and api.nvim_buf_is_loaded(view.buf))
  if new then
    create(view)
  end
  local win = vim.fn.win_findbuf(view.buf)[1]
  if not win then
    if how == "float" then
      win = api.nvim_open_win(view.buf, true, {
        relative = "editor",
        width = math.floor(vim.o.columns * 0.8),
        height = math.floor(vim.o.lines * 0.6),
        row = math.floor(vim.o.lines * 0.2),
        col = math.floor(vim.o.columns * 0.1),
        border = "rounded",
        title = " " .. require("nvim-acp.message").line(view.command, 60) .. " ",
      })
    else
      win = api.nvim_open_win(view.buf, true, { split = "below", win = -1, height = math.floor(vim.o.lines * 0.3) })
    end
    vim.wo[win].number = false
    vim.wo[win].relativenumber = false
    vim.wo[win].signcolumn = "no"
  else
    api.nvim_set_current_win(win)
  end
  if new then
    start_feed(view)
  end
  resize(view)
  vim.cmd("normal! G")
end

--- Raw output of a command.
---@param id string
---@param data string
---@return boolean wanted false: nobody looks any more
function M.feed(id, data)
  local view = views[id]
  if not view or not view.chan or not api.nvim_buf_is_valid(view.buf) then
    if view then
      view.chan = nil
    end
    return false
  end
  api.nvim_chan_send(view.chan, data)
  return true
end

--- What the host says of its terminals.
---@param list acp.TerminalView[]
function M.update(list)
  for _, t in ipairs(list) do
    local view = views[t.id]
    if not view then
      view = {}
      views[t.id] = view
      table.insert(order, t.id)
    end
    for key, value in pairs(t) do
      view[key] = value
    end
    local open = require("nvim-acp.config").options.terminal.open
    if t.started and open ~= "manual" then
      local win = api.nvim_get_current_win()
      M.open(t.id, open)
      api.nvim_set_current_win(win)
    end
  end
end

---@return table[]
function M.list()
  return vim.tbl_map(function(id)
    local v = views[id]
    return { id = id, session = v.session, command = v.command, running = v.running, exit = v.exit, bufnr = v.buf }
  end, order)
end

--- Lets the user choose a terminal to look at.
function M.pick()
  local list = vim.iter(M.list()):rev():totable()
  if #list == 0 then
    return require("nvim-acp.message").info("no command has run yet")
  end
  vim.ui.select(list, {
    prompt = "Terminals",
    format_item = function(t)
      return ("%s %s  %s"):format(
        t.running and "●" or " ",
        require("nvim-acp.message").line(t.command, 60),
        t.exit or ""
      )
    end,
  }, function(choice)
    if choice then
      M.open(choice.id)
    end
  end)
end

api.nvim_create_autocmd({ "WinResized", "BufWinEnter" }, {
  group = api.nvim_create_augroup("nvim-acp.terminal", {}),
  callback = function()
    for _, view in pairs(views) do
      resize(view)
    end
  end,
})

return M
