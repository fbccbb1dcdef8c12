--- Modes in which a buffer may be edited while the user works in it. In others edits corrupt text: while a completion
--- menu is open, while `:s///c` asks, in Visual mode, in a blockwise insert, while a mapping waits for a key.
local M = {}

local api = vim.api

-- Whether a blockwise insert is active: the mode is "i", and at its end Neovim repeats the typed text on the other
-- lines.
local blockwise = false

local waiting = false -- in a function of ours

-- Keeps an end of a selection over an edit. Returns a function that has its cursor in the new text, not above `least`.
-- A mark before a character stays there when that is replaced, one behind it comes to be behind what replaces it.
local function keep(buf, ns, pos, is_last)
  local row, col = pos[2] - 1, math.max(pos[3] - 1, 0)
  local text = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  col = math.min(col, #text)
  if is_last and col < #text then
    col = col + vim.str_utf_end(text, col + 1) + 1
  end
  local id = api.nvim_buf_set_extmark(buf, ns, row, col, { right_gravity = false })
  return function(hunks, least)
    local now = require("nvim-acp.files.views").moved(buf, row, text, hunks)
    for _, h in ipairs(hunks) do
      if is_last and h.count == 0 and row >= h.first and row < h.last then
        now = now - 1 -- it is gone: no line below becomes selected instead
      end
    end
    now = math.min(math.max(now, least), api.nvim_buf_line_count(buf) - 1)
    local line = api.nvim_buf_get_lines(buf, now, now + 1, false)[1]
    local at = api.nvim_buf_get_extmark_by_id(buf, ns, id, {})
    local to = math.min(at[1] == now and at[2] or col, #line)
    if is_last and to > 0 then
      to = to - 1 + vim.str_utf_start(line, to)
    end
    return { now + 1, to }
  end
end

-- Ends Visual or Select mode and returns a function that restores it in the text after an edit, of which it gets the
-- hunks.
local function leave_visual(mode)
  local buf = api.nvim_get_current_buf()
  local ns = api.nvim_create_namespace("nvim-acp.visual")
  local to_ends = vim.fn.getcurpos()[5] == vim.v.maxcol -- of the lines, however long: after $
  local a, b = vim.fn.getpos("v"), vim.fn.getpos(".")
  local backwards = b[2] < a[2] or (b[2] == a[2] and b[3] < a[3])
  local first = keep(buf, ns, backwards and b or a, false)
  local last = keep(buf, ns, backwards and a or b, true)
  vim.cmd("normal! \27")
  return function(hunks)
    local select = ({ s = "v", S = "V", ["\19"] = "\22" })[mode]
    local from = first(hunks, 0)
    local to = last(hunks, from[1] - 1)
    api.nvim_win_set_cursor(0, backwards and to or from)
    require("nvim-acp.ui.ex").normal(select or mode)
    api.nvim_win_set_cursor(0, backwards and from or to)
    if to_ends then
      vim.cmd("normal! $")
    end
    if select then
      vim.cmd("normal! \7")
    end
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
end

-- Reports whether a Lua function of others is being run below a call of the host's or an event, as one that waits for a
-- key is; also one that Neovim called later, of which vim.fn.state() says nothing. Between the two is what waits, a
-- function in C. A function of ours that waits for the host knows what it does, and vim.wait() may be for the agent.
local function within()
  local below = false
  for level = 2, 100 do
    local info = debug.getinfo(level, "Sf")
    local source = info and info.source or ""
    local ours = source:find("/nvim-acp/", 1, true)
    if not info or (below and ours) or info.func == vim.wait then
      return false
    elseif info.what == "C" then
      below = below or (info.func ~= pcall and info.func ~= xpcall)
    elseif below and not ours and not source:find("^@vim/") and not source:find("^=?%?$") then
      return true
    end
  end
  return false
end

-- Reports whether script of the user's may wait. Without a screen it is a script that waits for the agent itself.
local function may_wait(state)
  return not waiting and #api.nvim_list_uis() > 0 and (vim.fn.state(state) ~= "" or within())
end

-- Reports whether Lua or Vim script waits in the middle of something, in getcharstr() or vim.wait() for instance: it
-- may know lines by their numbers. In Terminal and command-line mode Neovim does not tell of Vim script.
local function halfway(mode)
  local tells = mode:match("^n$") or mode:match("^nt$") or mode:match("^i")
  return may_wait(tells and "Sc" or "c")
end

--- Reports whether script of the user's may wait in the middle of something, in any mode but those that always seem so.
---@return boolean
function M.scripted()
  local mode = api.nvim_get_mode().mode
  local untold = mode:match("^[ctr!]") or mode:match("^ni") or vim.fn.pumvisible() == 1
  return may_wait(untold and "c" or "Sc")
end

--- Reports whether an event comes while script of others waits, or runs.
---@return boolean
function M.interrupts()
  return vim.fn.state("c") ~= "" or within()
end

--- Calls a function that waits for an edit of the host's, in the middle of something: edits are safe meanwhile.
---@param fn fun()
function M.allow(fn)
  waiting = true
  local ok, err = pcall(fn)
  waiting = false
  if not ok then
    error(err, 0)
  end
end

--- Returns nothing if a buffer may be edited now, else the reason. With force it closes a completion menu and suspends
--- a selection.
---@param buf integer
---@param force boolean?
---@return string? reason
---@return fun(hunks: table[])? after called after the edit, with what it has made of which rows
function M.unsafe(buf, force)
  local now = api.nvim_get_mode()
  local mode = now.mode
  local first = mode:sub(1, 1)
  if now.blocking or first == "r" or first == "!" then
    return "a question"
  elseif mode:sub(1, 2) == "no" then
    return "an operator"
  elseif mode:sub(1, 2) == "ni" then
    return "the command after <C-o>"
  elseif mode:sub(1, 2) == "cv" or first == "R" then
    return first == "R" and "Replace mode" or "Ex mode"
  elseif first == "i" and blockwise then
    return "a blockwise insert"
  elseif buf == api.nvim_get_current_buf() and require("nvim-acp.files.menu").open(mode) then
    if force then
      require("nvim-acp.files.menu").close(mode)
    end
    return "a completion menu"
  elseif halfway(mode) then
    return "a mapping"
  elseif first:match("[vVsS\22\19]") then
    if force and not require("nvim-acp.files.cursors").active(buf) then
      return nil, leave_visual(first)
    end
    return "a selection"
  end
  return require("nvim-acp.files.cursors").active(buf)
end

--- Tells the host once that the mode has changed, so that it tries a waiting edit again.
function M.tell()
  api.nvim_create_autocmd({ "ModeChanged", "CompleteDone", "InsertLeave", "SafeState", "CursorMoved" }, {
    group = api.nvim_create_augroup("nvim-acp.mode", { clear = true }),
    once = true,
    callback = function()
      vim.schedule(function()
        require("nvim-acp.rpc").notify("safe", {})
      end)
    end,
  })
end

--- Watches mode changes: the start of a blockwise insert can be seen only as it happens.
function M.follow()
  require("nvim-acp.files.menu").follow()
  require("nvim-acp.files.typing").follow()
  local group = api.nvim_create_augroup("nvim-acp.blockwise", { clear = true })
  api.nvim_create_autocmd("ModeChanged", {
    group = group,
    callback = function()
      local old, new = vim.v.event.old_mode, vim.v.event.new_mode
      if new:sub(1, 1) ~= "i" then
        blockwise = false
      elseif old:sub(1, 1) == "\22" or old:sub(1, 1) == "\19" then
        blockwise = true
      end
    end,
  })
end

return M
