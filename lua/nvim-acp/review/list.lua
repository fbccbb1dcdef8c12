--- The list of changes of agents, in a tab beside the file under review: files, and below each its hunks. The diff of a
--- file is its own buffer, where removed lines are above the added ones: it can be edited, follows the turn, and fits a
--- narrow screen.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.review-list")

local review = require("nvim-acp.review")
local keys = require("nvim-acp.review.list_keys")
local preview = require("nvim-acp.review.list_preview")

local scopes = { "all", "session", "turn" }

---@class acp.ReviewRow a file, or one of its hunks
---@field e acp.Reviewed
---@field counts { hunks: integer, added: integer, removed: integer } of the file, in the scope
---@field hunk integer? its place among those of the file
---@field hunks integer[]? of a file, and below its hunks: those in the scope
---@field more integer? so many hunks of the file are not listed

---@class acp.ReviewList
---@field buf integer
---@field scope string
---@field session string?
---@field rows acp.ReviewRow[]
---@field open table<string, boolean> by file, whether its hunks are listed, where the user has said so
---@field back fun() closes it
---@field title string[]? shorter and shorter, once it is drawn
---@field shown boolean the first file is shown, or something else was

---@type acp.ReviewList? the last one
local list

local letters = { modified = "M", created = "A", deleted = "D", renamed = "R" }
local groups = { modified = "AcpReviewChanged", created = "AcpReviewAdded", deleted = "AcpReviewRemoved" }

local function name_of(e)
  return e.session .. ":" .. e.path
end

-- Returns the hunks of a file that are in the list's scope, by their places.
local function hunks_of(e)
  local out = {}
  for i in ipairs(e.rows) do
    if list.scope ~= "turn" or not e.recent or e.recent[i] then
      table.insert(out, i)
    end
  end
  return out
end

-- Returns the files of the list's scope, with their counts and hunks.
local function files()
  local out = {}
  for _, e in ipairs(review.list) do
    local counts = list.scope == "turn" and e.turn or e.all
    if (list.scope == "all" or e.session == list.session) and counts.hunks > 0 then
      table.insert(out, { e = e, counts = counts, hunks = hunks_of(e) })
    end
  end
  return out
end

local few = 30 -- hunks, up to which those of all files are listed at first
local most = 500 -- hunks of a file that are listed

-- Reports whether the hunks of a file are listed. A file that was deleted is decided on as a whole.
local function is_open(file, total)
  local own = list.open[name_of(file.e)]
  if file.e.kind == "deleted" then
    return false
  elseif own == nil then
    return total <= few
  end
  return own
end

-- Returns the rows of files and of their hunks.
local function rows_of(all)
  local total, rows = 0, {}
  for _, file in ipairs(all) do
    total = total + #file.hunks
  end
  for _, file in ipairs(all) do
    file.open = is_open(file, total)
    table.insert(rows, file)
    for i = 1, file.open and math.min(#file.hunks, most) or 0 do
      table.insert(rows, { e = file.e, counts = file.counts, hunk = file.hunks[i] })
    end
    if file.open and #file.hunks > most then
      table.insert(rows, { e = file.e, counts = file.counts, hunks = file.hunks, more = #file.hunks - most })
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

-- Returns the title: a longer text, a shorter one and the shortest.
local function title(all)
  local sum = 0
  for _, file in ipairs(all) do
    sum = sum + file.counts.hunks
  end
  local name = list.scope == "all" and "to review" or "this " .. list.scope
  local count = require("nvim-acp.ui.text").count
  local hunks = count(sum, "hunk")
  return (" %s: %s in %s"):format(name, hunks, count(#all, "file")), (" %s: %s"):format(name, hunks), " " .. hunks
end

-- Returns the line of a row.
local function text_of(row)
  local e = row.e
  if row.more then
    return ("    %d more: Q lists all"):format(row.more)
  elseif row.hunk then
    local number = ("%" .. #tostring(e.rows[#e.rows] + 1) .. "d"):format(e.rows[row.hunk] + 1)
    return ("    %s  %s"):format(number, require("nvim-acp.ui.text").signed(e.heads[row.hunk]))
  end
  local from = e.from ~= "" and (" (was %s)"):format(relative(e.from)) or ""
  local icons = require("nvim-acp.ui.style").icons()
  local fold = #row.hunks == 0 and " " or row.open and icons.open or icons.closed
  return ("%s %s %s%s"):format(fold, e.unknown and "?" or letters[e.kind], relative(e.path), from)
end

-- Returns the row on which the cursor is after rows have changed: that of the same change, else that of its file, else
-- the same number.
local function again(before, line)
  if not before then
    return 1
  end
  local file
  for i, row in ipairs(list.rows) do
    if name_of(row.e) == name_of(before.e) then
      if row.e.ids[row.hunk] == before.e.ids[before.hunk] then -- nil at a file
        return i
      end
      file = not row.hunk and not row.more and i or file
    end
  end
  local there = list.rows[line] and name_of(list.rows[line].e) == name_of(before.e)
  return not there and file or math.max(math.min(line, #list.rows), 1)
end

local function draw()
  local buf = list.buf
  local win = vim.fn.win_findbuf(buf)[1]
  local line = api.nvim_win_get_cursor(win)[1]
  local before, all = list.rows[line], files()
  list.rows = rows_of(all)
  local lines = #list.rows > 0 and vim.tbl_map(text_of, list.rows) or { "nothing to review" }
  require("nvim-acp.ui.fixed").write(buf, 0, -1, lines)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  require("nvim-acp.ui.align").clear(buf, 0, -1)
  for i, row in ipairs(list.rows) do
    if row.more then
      api.nvim_buf_set_extmark(buf, ns, i - 1, 0, { end_col = #lines[i], hl_group = "AcpDone" })
    elseif row.hunk then
      local from, to = lines[i]:match("^ +%d+()  %S+ %S+()")
      api.nvim_buf_set_extmark(buf, ns, i - 1, 0, { end_col = from - 1, hl_group = "AcpLineNr" })
      api.nvim_buf_set_extmark(buf, ns, i - 1, from - 1, { end_col = to - 1, hl_group = "AcpDone" })
    else
      local group = groups[row.e.kind] or "AcpReviewChanged"
      local at = #lines[i]:match("^%S* *")
      api.nvim_buf_set_extmark(buf, ns, i - 1, at, { end_col = at + 1, hl_group = group })
      require("nvim-acp.ui.align").set(buf, i - 1, counts(row.counts))
    end
  end
  keys.draw(buf, win, #lines - 1)
  api.nvim_win_set_cursor(win, { again(before, line), 0 })
  list.title = { title(all) }
  keys.bar(win, list.title)
end

local function current()
  return list.rows[api.nvim_win_get_cursor(0)[1]]
end

local function show()
  list.shown = true
  preview.open(current())
end

local function decide(action, force)
  local row = current()
  if not row or row.more then
    return
  end
  local e, opts = row.e, { session = row.e.session, path = row.e.path, force = force }
  if row.hunk then
    opts.scope, opts.hunk = "hunk", { id = e.ids[row.hunk], sum = e.sums[row.hunk] }
  else
    opts.scope = list.scope == "turn" and "turn" or "file"
  end
  review.decide(action, opts)
end

-- Lists the hunks of the file under the cursor, or of all, or hides them.
local function fold(to, all)
  return function()
    local row = current()
    for _, other in ipairs(all and list.rows or { row }) do
      local name, open = name_of(other.e), to
      if open == nil then
        open = not (row.hunk or row.more or row.open)
      end
      list.open[name] = open
    end
    draw()
    local line = api.nvim_win_get_cursor(0)[1]
    local hunks = list.rows[line] and list.rows[line].open and #list.rows[line].hunks or 0
    require("nvim-acp.ui.window").reveal(0, line, math.min(line + hunks, #list.rows))
  end
end

local actions = {
  ["<CR>"] = show,
  a = function()
    decide("keep")
  end,
  r = function()
    decide("revert")
  end,
  R = function()
    decide("revert", true)
  end,
  u = function()
    review.undo(false)
  end,
  ["<C-r>"] = function()
    review.undo(true)
  end,
  d = function()
    if current() then
      require("nvim-acp.review.compare").ask(current().e)
    end
  end,
  za = fold(),
  zM = fold(false, true),
  zR = fold(true, true),
  ["<Tab>"] = function()
    local next_one = { all = "session", session = "turn", turn = "all" }
    list.scope = next_one[list.scope]
    draw()
  end,
  Q = function()
    require("nvim-acp.review.quickfix").open()
  end,
  q = function()
    list.back()
  end,
}

local function map(buf)
  local function key(lhs, fn, desc)
    vim.keymap.set("n", lhs, fn, { buffer = buf, nowait = true, desc = desc })
  end
  for _, k in ipairs(keys.list) do
    key(k[1], actions[k[1]], k[3])
  end
  require("nvim-acp.ui.keys").map(buf)
  require("nvim-acp.ui.keys").jumps(buf)
  key("zo", fold(true), "list the changes of the file")
  key("zc", fold(false), "hide the changes of the file")
end

local function make()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  require("nvim-acp.ui.fixed").fix(buf)
  require("nvim-acp.ui.bufname").set(buf, { "Review", vim.fs.basename(vim.fn.getcwd()) })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      require("nvim-acp.ui.align").forget(buf)
    end,
  })
  api.nvim_create_autocmd("WinScrolled", {
    buffer = buf,
    callback = function()
      local win = vim.fn.win_findbuf(buf)[1]
      local change = vim.v.event[tostring(win)]
      if change and change.width ~= 0 then
        draw()
      elseif change then
        keys.bar(win, list.title)
      end
    end,
  })
  preview.follow(buf, current)
  map(buf)
  return buf
end

local least = 80 -- columns with room for the list and a file beside each other

-- Returns where the list is beside the first file: at its left, or in a narrow Neovim above it.
local function place()
  if vim.o.columns < least then
    return { split = "above", height = math.floor(vim.o.lines * 0.4) }
  end
  return { split = "left", width = math.min(60, math.floor(vim.o.columns * 0.4)) }
end

-- Shows the first file that is there beside the list, once; one that is looked for comes when it is found.
local function show_first()
  local win = api.nvim_get_current_win()
  if list.shown or api.nvim_win_get_buf(win) ~= list.buf then
    return
  end
  for _, row in ipairs(list.rows) do
    if row.e.kind ~= "deleted" then
      list.shown = not preview.is_away(row.e)
      return list.shown and preview.show(row, win)
    end
  end
end

-- Opens the tab of the list, with the first file.
local function open_tab(scope, session)
  require("nvim-acp.ui.style").define()
  local where, back = place(), require("nvim-acp.ui.window").back()
  local buf = make()
  local other = require("nvim-acp.ui.window").tab(api.nvim_create_buf(false, false))
  vim.bo.bufhidden = "wipe" -- it is empty
  local win = require("nvim-acp.ui.ex").quietly(function()
    return api.nvim_open_win(buf, true, where)
  end)
  local room = win ~= nil
  if not win then
    win = other
    api.nvim_win_set_buf(win, buf)
  end
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").plain)
  require("nvim-acp.ui.window").set(win, { winfixwidth = true, wrap = false, cursorline = true })
  vim.wo[win].winfixheight = where.height ~= nil
  require("nvim-acp.ui.window").rule(win)
  list = { buf = buf, scope = scope, session = session, rows = {}, open = {}, back = back, shown = not room }
  vim.bo[buf].filetype = "acp-review"
  draw()
  show_first()
end

--- Opens the list if there is something to review, or makes the open one show a scope.
---@param scope string "all", "session", "turn", "quickfix" or ""
function M.open(scope)
  review.look(true)
  scope = scope ~= "" and scope or "all"
  if scope == "quickfix" then
    return require("nvim-acp.review.quickfix").open()
  elseif not vim.list_contains(scopes, scope) then
    return require("nvim-acp.ui.message").unknown("scope", scope, { "all", "session", "turn", "quickfix" })
  end
  local session = (require("nvim-acp.state").current() or {}).id
  local win = list and vim.fn.win_findbuf(list.buf)[1]
  if not win and #review.list == 0 then
    return require("nvim-acp.ui.message").info("there is nothing to review")
  elseif not win then
    return open_tab(scope, session)
  end
  api.nvim_set_current_win(win)
  list.scope, list.session = scope, session or list.session
  draw()
end

review.on_change(function()
  if list and #vim.fn.win_findbuf(list.buf) > 0 then
    draw()
    show_first()
  end
end)

return M
