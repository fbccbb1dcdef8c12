--- Operators: a motion or a text object names the lines that an agent is asked about. `.` does the same with the lines
--- of the same motion elsewhere, and asks for no text again.
local M = {}

local api = vim.api

---@alias acp.Operator "send"|"edit"|"ask"|"add"

---@class acp.Operation
---@field kind acp.Operator
---@field count integer 0: none was given
---@field motion string the keys of the motion, as they were typed
---@field view table where the cursor was
---@field text string? what was asked

---@type acp.Operation? the one whose motion is being typed
local pending
---@type acp.Operation? the last one, for `.`
local last

local ns = api.nvim_create_namespace("nvim-acp.operator")

-- Collects the keys of the motion, until it is made or given up.
local function listen(op)
  local own = 2 -- the keys of g@ itself
  api.nvim_create_autocmd("ModeChanged", {
    group = api.nvim_create_augroup("nvim-acp.operator", {}),
    pattern = "no*:*",
    once = true,
    callback = function()
      vim.on_key(nil, ns)
      vim.schedule(function() -- the operator itself comes first
        pending = pending ~= op and pending or nil
      end)
    end,
  })
  vim.on_key(function(key, typed)
    if own > 0 then
      own = own - 1
    else
      op.motion = op.motion .. (typed or key)
    end
  end, ns)
end

--- Begins an operation; the mapping is an expression.
---@param kind acp.Operator
---@return string keys
function M.start(kind)
  pending = { kind = kind, count = vim.v.count, motion = "", view = vim.fn.winsaveview() }
  vim.o.operatorfunc = "v:lua.require'nvim-acp.commands.operator'.run"
  listen(pending)
  return "g@"
end

-- Has `.` repeat an operation: what was typed since, as its text, is what Neovim would repeat. The motion is made once
-- more, or if that is not possible, as many lines are meant.
local function arm(op, lines)
  if api.nvim_get_mode().mode ~= "n" then
    return
  end
  require("nvim-acp.ui.dot").remember(function()
    local ex = require("nvim-acp.ui.ex")
    vim.fn.winrestview(op.view)
    local keys = (op.count > 0 and op.count or "") .. "g@" .. op.motion
    local done = op.motion ~= "" and pcall(ex.run, { cmd = "normal", args = { keys }, mods = { emsg_silent = true } })
    if not done then
      pcall(ex.normal, ("%dg@_"):format(lines))
    end
  end)
  vim.o.operatorfunc = "v:lua.require'nvim-acp.commands.operator'.run"
end

-- Does the operation on lines, 1-based.
local function act(op, first, to)
  local commands = require("nvim-acp.commands.send")
  if op.kind == "add" then
    return commands.put_lines(first, to)
  end
  local buf = api.nvim_get_current_buf()
  local function asked(text, range)
    op.text = text
    last = op
    if buf == api.nvim_get_current_buf() then
      op.view.lnum = op.view.lnum + range[1] - first
      arm(op, to - first + 1)
    end
  end
  if op.kind == "send" then
    return commands.send_lines(first, to, op.text, asked)
  end
  local opts = { range = { first, to }, instruction = op.text, asked = not op.text and asked or nil }
  require("nvim-acp.edit").run(opts, op.kind)
end

--- The operator. Where it was not begun by a key it is repeated.
function M.run()
  local first, to = vim.fn.line("'["), vim.fn.line("']")
  vim.on_key(nil, ns)
  require("nvim-acp.listeners")
  local op = pending or last
  if pending and pending.motion ~= "" then
    vim.fn.winrestview(pending.view) -- nothing is changed, so the cursor stays
  end
  pending = nil
  if op then
    last = op.kind == "add" and op or last
    act(op, first, to)
  end
end

return M
