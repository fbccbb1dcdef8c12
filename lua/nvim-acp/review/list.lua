--- The list of files with changes of agents, in a tab beside the file under review. The diff of a file is its own
--- buffer, where removed lines are above the added ones: it can be edited, follows the turn, and fits a narrow screen.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.review-list")

local review = require("nvim-acp.review")

local scopes = { "all", "session", "turn" }

---@type { buf: integer, scope: string, session: string?, rows: acp.Reviewed[] }? the open list
local list

local letters = { modified = "M", created = "A", deleted = "D", renamed = "R" }
local groups = { modified = "AcpReviewChanged", created = "AcpReviewAdded", deleted = "AcpReviewRemoved" }

-- Returns what the list shows: the files of its scope, with their counts.
local function entries()
  local rows = {}
  for _, e in ipairs(review.list) do
    local counts_of = list.scope == "turn" and e.turn or e.all
    local own = list.scope == "all" or e.session == list.session
    if own and counts_of.hunks > 0 then
      table.insert(rows, vim.tbl_extend("force", e, { counts = counts_of }))
    end
  end
  return rows
end

local function relative(path)
  return require("nvim-acp.ui.text").visible(vim.fn.fnamemodify(path, ":~:."))
end

-- Returns chunks like "+3 −1", with dim words first to go.
local function counts(n)
  local minus = require("nvim-acp.ui.style").icons().minus
  return {
    { ("  %d "):format(n.hunks), "AcpDone" },
    { ("+%d "):format(n.added), "AcpReviewAdded" },
    { ("%s%d"):format(minus, n.removed), "AcpReviewRemoved" },
  }
end

local function title()
  local sum = { hunks = 0, added = 0, removed = 0 }
  for _, e in ipairs(list.rows) do
    for key in pairs(sum) do
      sum[key] = sum[key] + e.counts[key]
    end
  end
  local name = list.scope == "all" and "to review" or "this " .. list.scope
  local function plural(n, word)
    return ("%d %s%s"):format(n, word, n == 1 and "" or "s")
  end
  return (" %s: %s in %s"):format(name, plural(sum.hunks, "hunk"), plural(#list.rows, "file"))
end

local function draw()
  local buf = list.buf
  local win = vim.fn.win_findbuf(buf)[1]
  local before = list.rows[api.nvim_win_get_cursor(win)[1]]
  list.rows = entries()
  local lines = vim.tbl_map(function(e)
    local from = e.from ~= "" and (" (was %s)"):format(relative(e.from)) or ""
    return ("%s %s%s"):format(e.unknown and "?" or letters[e.kind], relative(e.path), from)
  end, list.rows)
  if #lines == 0 then
    lines = { "nothing to review" }
  end
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  require("nvim-acp.ui.align").clear(buf, 0, -1)
  for i, e in ipairs(list.rows) do
    api.nvim_buf_set_extmark(buf, ns, i - 1, 0, { end_col = 1, hl_group = groups[e.kind] or "AcpReviewChanged" })
    require("nvim-acp.ui.align").set(buf, i - 1, counts(e.counts))
    if before and before.path == e.path and before.session == e.session then
      api.nvim_win_set_cursor(win, { i, 0 })
    end
  end
  require("nvim-acp.ui.bar").set(win, "winbar", { { "AcpWinbar", title() } })
end

local function current()
  return list.rows[api.nvim_win_get_cursor(0)[1]]
end

local function show()
  local e = current()
  if e and e.kind == "deleted" then
    M.diff(e)
  elseif e then
    require("nvim-acp.files.buffer").go(e.path, (e.rows[1] or 0) + 1)
    require("nvim-acp.review.marks").reveal()
  end
end

local function decide(action, force)
  local e = current()
  if e then
    local scope = list.scope == "turn" and "turn" or "file"
    review.decide(action, { scope = scope, session = e.session, path = e.path, force = force })
  end
end

local function keys(buf)
  local function key(lhs, desc, fn)
    vim.keymap.set("n", lhs, fn, { buffer = buf, nowait = true, desc = desc })
  end
  key("<CR>", "show the file at its first change", show)
  key("a", "keep the changes of the file", function()
    decide("keep")
  end)
  key("r", "revert the changes of the file", function()
    decide("revert")
  end)
  key("R", "revert them with lines that you have edited", function()
    decide("revert", true)
  end)
  key("u", "undo the last revert", function()
    review.undo(false)
  end)
  key("<C-r>", "redo it", function()
    review.undo(true)
  end)
  key("d", "compare the file with its text without the changes", function()
    if current() then
      M.diff(current())
    end
  end)
  key("<Tab>", "all, this session, this turn", function()
    local next_one = { all = "session", session = "turn", turn = "all" }
    list.scope = next_one[list.scope]
    draw()
  end)
  key("Q", "quickfix list of the changes", function()
    M.quickfix()
  end)
  key("q", "close the list", function()
    if #api.nvim_list_tabpages() > 1 then
      vim.cmd.tabclose()
    else
      vim.cmd.close()
    end
  end)
end

local function make()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = "wipe", false
  api.nvim_buf_set_name(buf, "acp://review/" .. buf)
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      require("nvim-acp.ui.align").forget(buf)
      list = nil
    end,
  })
  keys(buf)
  return buf
end

-- Opens the tab of the list: the list at the left, the first file beside it.
local function open_tab(scope, session)
  require("nvim-acp.ui.style").define()
  local width = math.min(45, math.floor(vim.o.columns * 0.4))
  vim.cmd.tabnew()
  vim.bo.bufhidden = "wipe" -- the empty buffer of the new tab
  local buf = make()
  local win = api.nvim_open_win(buf, true, { split = "left", width = width })
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").plain)
  require("nvim-acp.ui.window").set(win, { winfixwidth = true, wrap = false, cursorline = true })
  require("nvim-acp.ui.window").status_line(win, { " a keep  r revert  u undo" })
  list = { buf = buf, scope = scope, session = session, rows = {} }
  vim.bo[buf].filetype = "acp-review"
  draw()
  for _, e in ipairs(list.rows) do
    if e.kind ~= "deleted" then
      require("nvim-acp.files.buffer").go(e.path, (e.rows[1] or 0) + 1)
      require("nvim-acp.review.marks").reveal()
      break
    end
  end
  api.nvim_set_current_win(win)
end

--- Opens the list, or makes the open one show a scope.
---@param scope string "all", "session", "turn", "quickfix" or ""
function M.open(scope)
  review.look(true)
  scope = scope ~= "" and scope or "all"
  if scope == "quickfix" then
    return M.quickfix()
  elseif not vim.list_contains(scopes, scope) then
    return require("nvim-acp.ui.message").warn(("not %s: all, session, turn or quickfix"):format(scope))
  end
  local s = require("nvim-acp.state").current()
  local session = s and s.id or nil
  local win = list and vim.fn.win_findbuf(list.buf)[1]
  if not win then
    return open_tab(scope, session)
  end
  api.nvim_set_current_win(win)
  list.scope, list.session = scope, session or list.session
  draw()
end

--- Puts all changes into a new quickfix list, and opens it.
function M.quickfix()
  local items, visible = {}, require("nvim-acp.ui.text").visible
  for _, e in ipairs(review.list) do
    local buf = require("nvim-acp.files.load").add(e.path)
    for i, row in ipairs(e.rows) do
      table.insert(items, { bufnr = buf, lnum = row + 1, text = visible(e.heads[i]) })
    end
    if #e.rows == 0 then
      table.insert(items, { bufnr = buf, lnum = 1, text = e.kind })
    end
  end
  if #items == 0 then
    return require("nvim-acp.ui.message").info("there is nothing to review")
  end
  vim.fn.setqflist({}, " ", { title = "Changes of agents", items = items })
  vim.cmd.copen()
end

--- Asks for the text of a file without the changes, to compare it.
---@param e acp.Reviewed
function M.diff(e)
  require("nvim-acp.rpc").notify("review_base", { session = e.session, path = e.path })
end

--- Compares a file with its text without the changes, in Vim's diff mode, in a tab.
---@param path string
---@param lines string[]
function M.compare(path, lines)
  local foreign, load = require("nvim-acp.ui.foreign"), require("nvim-acp.files.load")
  local scratch = foreign.buffer("before", path, lines, "nofile")
  vim.cmd.tabnew()
  vim.bo.bufhidden = "wipe" -- the empty buffer of the new tab
  api.nvim_win_set_buf(0, scratch)
  vim.bo[scratch].bufhidden = "wipe"
  foreign.colour(scratch, foreign.type_of(path))
  vim.cmd.diffthis()
  local buf = require("nvim-acp.files.buffer").find(path) or load.add(path)
  vim.bo[buf].buflisted = true
  load.plain(buf)
  api.nvim_open_win(buf, true, { split = "right" })
  vim.cmd.diffthis()
  local marks = require("nvim-acp.review.marks")
  marks.bare(buf, true) -- diff mode shows removed lines itself, and cannot align virtual ones
  api.nvim_create_autocmd("BufWipeout", {
    buffer = scratch,
    callback = function()
      marks.bare(buf, false)
    end,
  })
end

review.on_change(function()
  if list and #vim.fn.win_findbuf(list.buf) > 0 then
    draw()
  end
end)

return M
