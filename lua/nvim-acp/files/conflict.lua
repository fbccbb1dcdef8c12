--- Conflicts between the user's text and an agent's: shown, listed, decided.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.conflict")

-- Marker lines, of the same length within a conflict: seven characters, or more where a line within looks like a
-- marker.
local yours, split, agents = "^(<<<<<<<+) yours$", "^(=======+)$", "^(>>>>>>>+) agent$"

-- Behind each marker line, what takes the lines beside it: short enough for half a screen of 80 columns.
local hints = { first = "ours", split = "both", last = "theirs" }

---@type integer? id of the plugin's quickfix list
local list

--- Returns the conflicts in lines.
---@param lines string[]
---@return { first: integer, split: integer, last: integer }[] the rows of the marker lines
function M.among(lines)
  local found, c = {}, nil
  for i, line in ipairs(lines) do
    local opened, parted, closed = line:match(yours), line:match(split), line:match(agents)
    if opened and (not c or #opened >= c.n) then
      c = { first = i - 1, n = #opened }
    elseif c and parted and #parted == c.n then
      c.split = i - 1
    elseif c and closed and #closed == c.n and c.split then
      c.last = i - 1
      table.insert(found, c)
      c = nil
    end
  end
  return found
end

local function find(buf)
  return M.among(api.nvim_buf_get_lines(buf, 0, -1, false))
end

local function highlight(buf, from, to, group)
  api.nvim_buf_set_extmark(buf, ns, from, 0, { end_row = to, hl_group = group, hl_eol = true, priority = 90 })
end

-- Reports whether a marker line was edited: the user has decided by hand.
local function broken(buf)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
    local line = api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, false)[1]
    local marker = line and (line:match(yours) or line:match(split) or line:match(agents))
    if mark[4].hl_group == "AcpConflictMark" and not marker then
      return true
    end
  end
  return false
end

-- Updates a buffer's conflicts whenever its text has changed: when one has been decided, or after undo and redo.
local function follow(buf)
  local function change()
    return api.nvim_buf_call(buf, vim.fn.changenr)
  end
  local seen = change()
  local newest = seen
  api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, {
    group = api.nvim_create_augroup("nvim-acp.conflict." .. buf, { clear = true }),
    buffer = buf,
    callback = function()
      local now = change()
      local again = now ~= seen and now <= newest -- after undo or redo
      seen, newest = now, math.max(newest, now)
      if again or (vim.b[buf].acp_conflicts and broken(buf)) then
        vim.b[buf].acp_conflicts = vim.b[buf].acp_conflicts or 0
        M.refresh()
      end
    end,
  })
end

local function draw(buf, found)
  require("nvim-acp.ui.style").define()
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, c in ipairs(found) do
    for marker, side in pairs(hints) do
      highlight(buf, c[marker], c[marker] + 1, "AcpConflictMark")
      local chunks = { { ":AcpConflict " .. side, "AcpKey" } }
      local opts =
        { virt_text = require("nvim-acp.ui.virtual").text(chunks), virt_text_pos = "eol", hl_mode = "combine" }
      api.nvim_buf_set_extmark(buf, ns, c[marker], 0, opts)
    end
    highlight(buf, c.first + 1, c.split, "AcpConflictYours")
    highlight(buf, c.split + 1, c.last, "AcpConflictAgent")
  end
end

-- Updates the plugin's quickfix list. The user's current list stays the current one.
local function fill(items)
  if list and vim.fn.getqflist({ id = list, nr = 0 }).nr == 0 then
    list = nil -- it fell off the stack
  end
  if list then
    require("nvim-acp.ui.quickfix").set("r", { id = list, items = items })
    return
  elseif #items == 0 then
    return
  end
  local before = vim.fn.getqflist({ id = 0 }).id
  require("nvim-acp.ui.quickfix").set(" ", { nr = "$", title = "Agent conflicts", items = items })
  list = vim.fn.getqflist({ nr = "$", id = 0 }).id
  local nr = vim.fn.getqflist({ id = before, nr = 0 }).nr -- by now, since the oldest list may have fallen off
  if before > 0 and nr > 0 then
    require("nvim-acp.ui.ex").run({ cmd = "chistory", count = nr, mods = { silent = true } })
  end
end

--- Updates the marks and the list of conflicts, in buffers that had any.
function M.refresh()
  local items = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.b[buf].acp_conflicts then
      local found = find(buf)
      draw(buf, found)
      vim.b[buf].acp_conflicts = #found > 0 and #found or nil
      for _, c in ipairs(found) do
        table.insert(items, { bufnr = buf, lnum = c.first + 1, end_lnum = c.last + 1, text = "yours and the agent's" })
      end
    end
  end
  fill(items)
end

--- Shows the conflicts of an edit in a buffer.
---@param buf integer
---@param count integer
function M.mark(buf, count)
  if count == 0 and not vim.b[buf].acp_conflicts then
    return
  end
  local before = vim.b[buf].acp_conflicts or 0
  vim.b[buf].acp_conflicts = count
  M.refresh()
  follow(buf)
  if count > before then
    local name = vim.fn.fnamemodify(api.nvim_buf_get_name(buf), ":.")
    require("nvim-acp.ui.message").warn(
      ("you and the agent changed the same lines of %s: see :AcpConflict"):format(name),
      { ("conflict in %s: :AcpConflict"):format(vim.fs.basename(name)), "conflict: :AcpConflict" }
    )
  end
end

-- Returns the conflict under the cursor, else the first after it.
local function at(row)
  for _, c in ipairs(find(0)) do
    if c.last >= row then
      return c
    end
  end
end

local function choose(side)
  local c = at(api.nvim_win_get_cursor(0)[1] - 1)
  if not c then
    return require("nvim-acp.ui.message").info("there is no conflict here or below")
  end
  local function drop(first, last) -- what is not dropped keeps its marks
    api.nvim_buf_set_lines(0, first, last + 1, false, {})
  end
  drop(side == "ours" and c.split or c.last, c.last)
  if side == "both" then
    drop(c.split, c.split)
  end
  drop(c.first, side == "theirs" and c.split or c.first)
  pcall(api.nvim_win_set_cursor, 0, { c.first + 1, 0 })
  M.refresh()
end

local function next_one()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local found = find(0)
  for _, c in ipairs(found) do
    if c.first > row then
      return api.nvim_win_set_cursor(0, { c.first + 1, 0 })
    end
  end
  if found[1] then
    return api.nvim_win_set_cursor(0, { found[1].first + 1, 0 })
  end
  require("nvim-acp.ui.message").info("there is no conflict in this buffer")
end

--- Opens the quickfix list of all conflicts.
local function open()
  M.refresh()
  local nr = list and vim.fn.getqflist({ id = list, nr = 0, size = 0 }) or { nr = 0, size = 0 }
  if nr.size == 0 then
    return require("nvim-acp.ui.message").info("there are no conflicts")
  end
  require("nvim-acp.ui.ex").run({ cmd = "chistory", count = nr.nr, mods = { silent = true } })
  require("nvim-acp.ui.quickfix").open()
end

--- Decides the conflict under the cursor, or goes to the next, or lists all.
---@param what "ours"|"theirs"|"both"|"next"|""
function M.run(what)
  if what == "" then
    open()
  elseif what == "next" then
    next_one()
  elseif what == "ours" or what == "theirs" or what == "both" then
    choose(what)
  else
    require("nvim-acp.ui.message").unknown("argument", what, { "ours", "theirs", "both", "next" })
  end
end

return M
