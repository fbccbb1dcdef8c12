--- Modes in which a buffer may be edited while the user works in it. In others edits corrupt text: while a completion
--- menu is open, while `:s///c` asks, in Visual mode, in a blockwise insert, while a mapping waits for a key.
local M = {}

local api = vim.api

-- Whether a blockwise insert is active: the mode is "i", and at its end Neovim repeats the typed text on the other
-- lines.
local blockwise = false

local waiting = false -- in a function of ours

-- Ends Visual or Select mode and returns a function that restores it.
local function leave_visual(mode)
  local buf = api.nvim_get_current_buf()
  local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
  local to_ends = vim.fn.getcurpos()[5] == vim.v.maxcol -- of the lines, however long: after $
  local ns = api.nvim_create_namespace("nvim-acp.visual")
  local function mark(pos)
    return api.nvim_buf_set_extmark(buf, ns, pos[2] - 1, math.max(pos[3] - 1, 0), { strict = false })
  end
  local a, b = mark(from), mark(to)
  vim.cmd("normal! \27")
  return function()
    local function go(id)
      local at = api.nvim_buf_get_extmark_by_id(buf, ns, id, {})
      api.nvim_win_set_cursor(0, { math.min(at[1] + 1, api.nvim_buf_line_count(buf)), at[2] }) -- the end may be gone
    end
    local select = ({ s = "v", S = "V", ["\19"] = "\22" })[mode]
    go(a)
    require("nvim-acp.ui.ex").normal(select or mode)
    go(b)
    if to_ends then
      vim.cmd("normal! $")
    end
    if select then
      vim.cmd("normal! \7")
    end
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
end

-- Reports whether Lua or Vim script waits in the middle of something, in getcharstr() or vim.wait() for instance: it
-- may know lines by their numbers. In Terminal and command-line mode nothing tells. Without a
-- screen it is a script that waits for the agent itself.
local function halfway(mode)
  local tells = mode:match("^n$") or mode:match("^nt$") or mode:match("^i")
  return tells and not waiting and #api.nvim_list_uis() > 0 and vim.fn.state("S") ~= ""
end

--- Reports whether script of the user's may wait in the middle of something, in any mode but those that always seem so.
---@return boolean
function M.scripted()
  local mode = api.nvim_get_mode().mode
  if mode:match("^[ctr!]") or mode:match("^ni") or vim.fn.pumvisible() == 1 then
    return false
  end
  return not waiting and #api.nvim_list_uis() > 0 and vim.fn.state("S") ~= ""
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
---@return fun()? after called after the edit
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
