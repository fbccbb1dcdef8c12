--- The mark of new text, which came while the user was reading further up.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.unread")

---@class acp.UnreadMark
---@field seen boolean
---@field id integer of its extmark
---@field block string? the block before whose row it is …
---@field offset integer … and that row

---@type table<string, acp.UnreadMark> by session, while there is a mark
local marks = {}

---@type table<string, string> the block that the user has toggled, by session, until it is drawn
local folds = {}

---@type fun(s: acp.Session)
local notify = function() end

--- Sets the function that is called when the result of waits() has changed.
---@param fn fun(s: acp.Session)
function M.on_change(fn)
  notify = fn
end

--- Records that the user folds or unfolds a block: the text that appears is not new.
---@param s acp.Session
---@param block string
function M.fold(s, block)
  folds[s.id] = block
end

--- Reports whether a block is drawn because the user has toggled it.
---@param s acp.Session
---@param block string
---@return boolean
function M.folded(s, block)
  local mine = folds[s.id] == block
  if mine then
    folds[s.id] = nil
  end
  return mine
end

--- Reports whether there is text that no window has shown yet.
---@param s acp.Session
---@return boolean
function M.waits(s)
  return marks[s.id] ~= nil and not marks[s.id].seen
end

local function clear(s, buf)
  marks[s.id] = nil
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

local function seen(s)
  if M.waits(s) then
    marks[s.id].seen = true
    notify(s)
  end
end

-- The border of what is unread. It has the same width in all windows, since the buffer may be shown in several.
local function border()
  local rule = require("nvim-acp.ui.style").icons().rule:rep(4)
  return ("%s new %s"):format(rule, rule)
end

local function place(buf, row, id)
  return api.nvim_buf_set_extmark(buf, ns, row, 0, {
    id = id,
    virt_lines = require("nvim-acp.ui.virtual").lines({ { { border(), "AcpUnread" } } }),
    virt_lines_above = true,
    strict = false,
  })
end

--- Moves the mark back to its block: redrawn lines move it.
---@param s acp.Session
---@param buf integer
function M.keep(s, buf)
  local mark = marks[s.id]
  local row = mark and mark.block and require("nvim-acp.chat.blocks").row(s, mark.block)
  if row then
    place(buf, row + mark.offset, mark.id)
  end
end

--- Records that text was drawn at the end.
---@param s acp.Session
---@param buf integer
---@param row integer its first row
---@param following boolean a window shows the end
---@param prompt boolean it is a prompt of the user's
function M.drawn(s, buf, row, following, prompt)
  local mark = marks[s.id]
  if following then
    seen(s)
    if mark and prompt then
      clear(s, buf)
    end
  elseif not mark or mark.seen then
    clear(s, buf)
    local block, _, offset = require("nvim-acp.chat.blocks").at(s, row + 1)
    marks[s.id] = { seen = false, id = place(buf, row), block = block, offset = offset or 0 }
    notify(s)
  end
end

--- Removes the mark: the buffer is drawn from its beginning.
---@param s acp.Session
function M.forget(s)
  marks[s.id], folds[s.id] = nil, nil
end

---@param s acp.Session
---@param buf integer
function M.attach(s, buf)
  api.nvim_create_autocmd("CursorMoved", {
    buffer = buf,
    callback = function()
      if M.waits(s) and api.nvim_win_get_cursor(0)[1] >= api.nvim_buf_line_count(buf) then
        seen(s)
      end
    end,
  })
end

return M
