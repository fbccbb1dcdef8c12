--- The review of changes that agents have made: which there are, from one to the next, keep and revert.
local M = {}

local api = vim.api

---@class acp.Reviewed a file with changes of a session
---@field session string
---@field path string
---@field from string the path before it was renamed, ""
---@field kind "modified"|"created"|"deleted"|"renamed"
---@field all { hunks: integer, added: integer, removed: integer }
---@field turn { hunks: integer, added: integer, removed: integer } of the last turn
---@field unknown boolean another session may have made some of them
---@field rows integer[] of the hunks, from 0
---@field heads string[] how much of each hunk was added and removed, and its first line
---@field ids integer[] of the hunks
---@field sums string[]
---@field recent boolean[]? whether the last turn has made some of each hunk; nil from an older host

---@type acp.Reviewed[] sorted by session and path
M.list = {}

---@type fun()[]
local listeners = {}

--- Calls a function whenever the list has changed.
---@param fn fun()
function M.on_change(fn)
  table.insert(listeners, fn)
end

--- Returns how many hunks wait: of a session, or of all.
---@param session string?
---@return integer
function M.count(session)
  local n = 0
  for _, e in ipairs(M.list) do
    if not session or e.session == session then
      n = n + e.all.hunks
    end
  end
  return n
end

--- Returns the list as the public interface has it.
---@param session string?
---@return table[]
function M.changes(session)
  local out = {}
  for _, e in ipairs(M.list) do
    if not session or e.session == session then
      table.insert(out, {
        session = e.session,
        path = e.path,
        from = e.from ~= "" and e.from or nil,
        kind = e.kind,
        hunks = e.all.hunks,
        added = e.all.added,
        removed = e.all.removed,
        unknown = e.unknown,
      })
    end
  end
  return out
end

--- Has the host look for what the user may have done: other names of files, and commits, which keep what they have.
---@param names_only boolean
function M.look(names_only)
  if require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("review_look", { paths = {}, names = names_only })
  end
end

local function watch_user(on)
  local group = api.nvim_create_augroup("nvim-acp.commits", { clear = true })
  if not on then
    return
  end
  local function look()
    M.look(false)
  end
  api.nvim_create_autocmd({ "FocusGained", "TermLeave", "ShellCmdPost" }, { group = group, callback = look })
  api.nvim_create_autocmd("User", { group = group, pattern = "FugitiveChanged", callback = look })
  api.nvim_create_autocmd({ "BufReadPost", "BufWritePost", "CursorHold" }, {
    group = group,
    callback = function()
      M.look(true)
    end,
  })
end

--- Takes the host's list.
---@param list acp.Reviewed[]
function M.update(list)
  if vim.deep_equal(list, M.list) then
    return
  end
  if (#list > 0) ~= (#M.list > 0) then
    watch_user(#list > 0)
  end
  M.list = list
  require("nvim-acp.review.keys").update_all()
  for _, fn in ipairs(listeners) do
    require("nvim-acp.ui.try").call(fn)
  end
  require("nvim-acp.ui.events").emit("AcpReviewChanged", { hunks = M.count(), files = #list })
  vim.cmd.redrawstatus()
end

-- Returns the real path of a buffer's file, "" if it has none.
local function path_of(buf)
  local name = api.nvim_buf_get_name(buf)
  return name ~= "" and require("nvim-acp.files.path").real(name) or ""
end

-- Returns the hunks of the current buffer, in the order of the text: those that are marked or, where it was opened just
-- now and marks are to come, those of the list, each at its first line.
local function hunks_here()
  local marks, buf = require("nvim-acp.review.marks"), api.nvim_get_current_buf()
  if marks.known(buf) then
    return marks.of(buf)
  end
  local out, path = {}, path_of(buf)
  for _, e in ipairs(M.list) do
    for i, row in ipairs(e.path == path and e.rows or {}) do
      local hunk = { session = e.session, id = e.ids[i], sum = e.sums[i] }
      table.insert(out, { row = row, last = row, hunk = hunk })
    end
  end
  table.sort(out, function(a, b)
    return a.row < b.row
  end)
  return out
end

-- Returns hunks of the current buffer: the one at a row, and those after it. One that only removes lines is at the line
-- below and the one above.
local function at(row, count)
  local list = hunks_here()
  local first
  for i, h in ipairs(list) do
    if h.row <= row and row <= h.last then
      first = i
      break
    elseif h.hunk.added == 0 and not h.hunk.ends and row == h.row - 1 then
      first = i
    end
  end
  return first and vim.list_slice(list, first, first + count - 1) or {}
end

-- Returns the paths of the files with changes, each once, in the order of the list.
local function paths()
  local list, known = {}, {}
  for _, e in ipairs(M.list) do
    if e.kind ~= "deleted" and not known[e.path] then
      known[e.path] = true
      table.insert(list, e.path)
    end
  end
  return list
end

local function jump(row)
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { math.min(row + 1, api.nvim_buf_line_count(0)), 0 })
  vim.cmd("normal! zv")
  require("nvim-acp.review.marks").reveal()
end

-- Opens a file at its first or last hunk.
local function open(path, forward)
  local first, last
  for _, e in ipairs(M.list) do
    if e.path == path then
      for _, row in ipairs(e.rows) do
        first, last = math.min(first or row, row), math.max(last or row, row)
      end
    end
  end
  require("nvim-acp.files.buffer").go(path, ((forward and first or last) or 0) + 1)
  if first and path_of(0) == path then
    require("nvim-acp.review.keys").set(api.nvim_get_current_buf())
  end
  require("nvim-acp.review.marks").reveal()
end

-- Goes to the next hunk, or the previous one, over all files.
local function step(forward)
  local here = hunks_here()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  for i = 1, #here do
    local h = here[forward and i or #here - i + 1]
    if forward and h.row > row or not forward and h.row < row then
      return jump(h.row)
    end
  end

  local list, own = paths(), path_of(0)
  if #list == 0 then
    local deleted = "only deleted files wait for your review; :AcpReview lists them"
    return require("nvim-acp.ui.message").info(#M.list > 0 and deleted or "there is nothing to review")
  end
  local at_path
  for i, path in ipairs(list) do
    if path == own then
      at_path = i
    end
  end
  local next_path = list[((at_path or (forward and 0 or 1)) - 1 + (forward and 1 or -1)) % #list + 1]
  if next_path == own and #here > 0 then
    return jump(here[forward and 1 or #here].row)
  end
  open(next_path, forward)
end

--- Goes to the next hunk, or the previous one, over all files.
---@param forward boolean
---@param count integer? how many times
function M.go(forward, count)
  for _ = 1, math.max(math.min(count or 1, M.count()), 1) do
    step(forward)
  end
end

---@class acp.Decision
---@field scope string? nil: the lines from first to last, or the hunk under the cursor
---@field first integer? 1-based
---@field last integer?
---@field force boolean? also hunks with lines that the user has edited
---@field reason string? for the agent
---@field session string? local id
---@field path string? of the file, real
---@field hunk { id: integer, sum: string }? of the scope "hunk"; nil: the one under the cursor
---@field count integer? how many hunks from the one under the cursor on

local scopes = { "all", "file", "hunk", "session", "turn" }

-- Sends a decision to the host, whose list is ahead of ours.
local function tell(args)
  if require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("decide", args)
  else
    require("nvim-acp.ui.message").info("there is nothing to review")
  end
end

-- Goes to the first hunk in the closed fold at the cursor, if there is one: what is decided on is to be seen.
local function unfold()
  local first, last = vim.fn.foldclosed("."), vim.fn.foldclosedend(".")
  for _, h in ipairs(hunks_here()) do
    if h.last + 1 >= first and h.row < last then
      jump(math.max(h.row, first - 1))
      return true
    end
  end
  return false
end

--- Keeps or reverts what waits for a decision.
---@param action "keep"|"revert"
---@param opts acp.Decision
function M.decide(action, opts)
  local message = require("nvim-acp.ui.message")
  local scope = opts.scope or (opts.first and "lines") or "hunk"
  local wrong = scope == "lines" and require("nvim-acp.files.lines").wrong({ opts.first, opts.last })
  if wrong then
    return message.error(wrong)
  end
  local buf = api.nvim_get_current_buf()
  local args = {
    action = action,
    scope = scope,
    session = opts.session or "",
    path = opts.path or "",
    hunk = 0,
    sum = "",
    tick = 0,
    first = (opts.first or 1) - 1,
    last = (opts.last or 1) - 1,
    force = opts.force or false,
    reason = opts.reason or "",
  }
  if scope == "hunk" or scope == "lines" or scope == "file" then
    args.path = opts.path or path_of(buf)
  end
  if scope == "hunk" and opts.hunk then
    args.hunk, args.sum = opts.hunk.id, opts.hunk.sum
  elseif scope == "hunk" then
    if unfold() then
      return message.info(("fold opened: again to %s the change"):format(action))
    end
    local hunks = at(api.nvim_win_get_cursor(0)[1] - 1, opts.count or 1)
    if #hunks == 0 then
      if #hunks_here() == 0 then
        return message.info("there is nothing to review in this file")
      end
      local key = require("nvim-acp.review.keys").shown("next") or ":AcpHunk next"
      return message.info(("no change of an agent here; %s goes to the next"):format(key))
    end
    for _, h in ipairs(hunks) do
      local one = { session = h.hunk.session, hunk = h.hunk.id, sum = h.hunk.sum }
      tell(vim.tbl_extend("force", args, one))
      h.hunk.decided = true
    end
    return
  elseif scope == "lines" then
    args.tick = require("nvim-acp.files.buffer").tick(buf)
  elseif scope == "turn" or scope == "session" then
    local s = require("nvim-acp.state").current()
    if args.session == "" and not s then
      return message.info("there is no session here")
    end
    args.session = args.session ~= "" and args.session or s.id
  elseif not vim.list_contains(scopes, scope) then
    return message.unknown("scope", scope, scopes)
  end
  tell(args)
end

--- Has lines of a buffer that the user has just taken from an agent be theirs, also where they are those of a change
--- that they had reverted.
---@param buf integer
---@param first integer 1-based
---@param last integer
function M.taken(buf, first, last)
  if last < first or not require("nvim-acp.rpc").running() then
    return
  end
  tell({
    action = "keep",
    scope = "lines",
    session = "",
    path = path_of(buf),
    hunk = 0,
    sum = "",
    tick = require("nvim-acp.files.buffer").tick(buf),
    first = first - 1,
    last = last - 1,
    force = false,
    reason = "",
    taken = true,
  })
end

--- Undoes the last decision, or redoes it.
---@param redo boolean?
function M.undo(redo)
  if require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("undecide", { redo = redo or false })
  else
    require("nvim-acp.ui.message").info(("there is no decision to %s"):format(redo and "redo" or "undo"))
  end
end

---@return string[]
function M.scopes()
  return vim.deepcopy(scopes)
end

--- Removes all marks, since the host has ended.
function M.lost()
  for _, buf in ipairs(require("nvim-acp.review.marks").buffers()) do
    require("nvim-acp.review.marks").forget(buf)
  end
  require("nvim-acp.review.watch").leave_all()
  M.update({})
end

require("nvim-acp.review.marks").on_drawn = function(buf)
  require("nvim-acp.review.folds").follow(buf)
  require("nvim-acp.review.keys").update(buf)
end
require("nvim-acp.review.keys").waits = function()
  return M.count() > 0
end

return M
