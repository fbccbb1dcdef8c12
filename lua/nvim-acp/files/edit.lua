--- Edits of file buffers by agents: in hunks, saved, one undo step.
local M = {}

local api = vim.api

---@type table<integer, string[]> staged lines, by the host's number for the edit
local staged = {}

--- Stages a part of a large edit's lines.
---@param id integer
---@param lines string[]
function M.stage(id, lines)
  staged[id] = vim.list_extend(staged[id] or {}, lines)
end

--- Drops the staged lines of an edit.
---@param id integer
function M.unstage(id)
  staged[id] = nil
end

local function lines_of(h, id)
  return h.staged and vim.list_slice(staged[id], h.from + 1, h.to) or h.lines
end

-- Returns hunks with their lines, staged or not.
local function whole(hunks, id)
  return vim.tbl_map(function(h)
    return { first = h.first, last = h.last, lines = lines_of(h, id) }
  end, hunks)
end

local function replace(buf, hunks, id)
  hunks = whole(hunks, id)
  local back = {}
  for _, marks in ipairs({ "nvim-acp.review.notes", "nvim-acp.files.lines" }) do
    if package.loaded[marks] then
      local rows = vim.tbl_map(function(h)
        return { h.first, h.last, #h.lines }
      end, hunks)
      table.insert(back, package.loaded[marks].hold(buf, rows))
    end
  end
  require("nvim-acp.files.replace").hunks(buf, hunks)
  for _, put_back in ipairs(back) do
    put_back()
  end
end

-- Setting 'undolevels' to itself ends the undo block.
local function undo_break(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

-- Saves a buffer. All autocommands run except BufWritePre, which runs if configured or if the file is not a plain one.
local function save(buf, format, real)
  local name = api.nvim_buf_get_name(buf)
  local ignore = vim.o.eventignore
  if vim.bo[buf].buftype == "" and not require("nvim-acp.files.access").write_cmd(buf) then
    require("nvim-acp.ui.disk").folder(vim.fs.dirname(name))
    if (real or "") ~= "" and not require("nvim-acp.files.path").leads(buf, real) then
      return "its name leads to another file now"
    end
    if not format then
      vim.o.eventignore = ignore == "" and "BufWritePre" or ignore .. ",BufWritePre"
    end
  end
  local written = require("nvim-acp.files.written")
  written.saving = buf
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    vim.cmd("silent keepalt lockmarks write!")
  end)
  written.saving, vim.o.eventignore = nil, ignore
  if not ok and vim.bo[buf].modified then
    require("nvim-acp.files.merged").not_saved(buf)
    return (tostring(err):gsub("^[^\n]-Vim%b():", ""):gsub("\n.*", ""))
  end
end

-- Returns a character that the file's encoding cannot represent, or nil.
local function misfit(buf, hunks, id)
  local enc = vim.bo[buf].fileencoding
  if enc == "" or enc:match("^utf") or enc:match("^ucs") then
    return nil
  end
  for _, h in ipairs(hunks) do
    local text = table.concat(lines_of(h, id), "\n")
    local there = vim.iconv(text, "utf-8", enc)
    if not there or vim.iconv(there, enc, "utf-8") ~= text then
      return enc
    end
  end
end

local function set_form(buf, e)
  local bo = vim.bo[buf]
  if e.form ~= "" and e.form ~= bo.fileformat then
    bo.fileformat = e.form
  end
  if e.encoding ~= "" then
    bo.fileencoding = e.encoding
  end
  if bo.endofline ~= e.eol then
    bo.endofline = e.eol
  end
  if e.save then
    bo.fixendofline = bo.fixendofline and e.eol
  end
end

-- Returns the lines that may be removed and restored on the way to the merged text: equal lines may be matched
-- differently in each direction, so all between the first and the last hunk count.
local function touched(buf, e)
  if #e.top == 0 or #e.disk == 0 then
    return {}
  end
  local count = api.nvim_buf_line_count(buf)
  local there = count
  for _, h in ipairs(e.disk) do
    there = there + (h.staged and h.to - h.from or #h.lines) - (h.last - h.first)
  end
  local tail = math.min(count - e.disk[#e.disk].last, there - e.top[#e.top].last)
  return { { first = math.min(e.disk[1].first, e.top[1].first), last = count - math.max(tail, 0) } }
end

local function all_lines(buf)
  return api.nvim_buf_get_lines(buf, 0, -1, false)
end

-- Puts the user's changes back onto the text that was saved, or onto what autocommands have made of it. Returns the
-- number of conflicts, and the hunks from the old text to that of now.
local function put_back(buf, e, old)
  local rebase = require("nvim-acp.files.rebase")
  local saved, now = old and rebase.apply(old, whole(e.disk, e.id)), old and all_lines(buf)
  if vim.deep_equal(saved, now) then
    replace(buf, e.top, e.id)
    return 0, e.direct
  end
  local top, conflicts = rebase.rebase(saved, now, whole(e.top, e.id))
  replace(buf, top, e.id)
  return conflicts, rebase.moves(old, all_lines(buf))
end

-- Returns a function that reports whether the lines of a buffer have changed since.
local function listen(buf)
  local changed = false
  local function note()
    changed = true
    return true -- detaches
  end
  api.nvim_buf_attach(buf, false, { on_lines = note, on_reload = note, on_detach = note }) -- `:edit!` detaches
  return function()
    return changed
  end
end

-- Makes the edit. Returns the number of conflicts that it has found itself, what went wrong in saving, the hunks from
-- the old text to that of now, and whether nothing but the edit has changed the lines.
local function apply(buf, e)
  local places = require("nvim-acp.files.views")
  local kept = places.keep(buf, touched(buf, e))
  local old = e.save and #e.top > 0 and all_lines(buf) or nil
  local problem
  undo_break(buf)
  if e.empty then
    api.nvim_buf_set_lines(buf, 0, -1, false, {})
  else
    replace(buf, e.disk, e.id)
  end
  local changed = listen(buf)
  set_form(buf, e)
  if #e.top == 0 then
    places.restore(buf, kept, e.direct) -- before autocommands move lines
  end
  if e.save then
    problem = save(buf, e.format, e.real)
    if changed() and not vim.bo[buf].modified then -- by an autocommand that ran after the report, and has saved it
      require("nvim-acp.files.watch").told(buf)
    end
  end
  if e.save and not problem and #e.top > 0 then
    require("nvim-acp.files.written").note(buf)
  end

  local exact = not changed()
  local conflicts, direct = put_back(buf, e, old)
  undo_break(buf)
  if #e.top > 0 then
    places.restore(buf, kept, direct)
  end
  return conflicts, problem, direct, exact
end

-- Finishes the merge of a disk edit into a buffer.
local function merged(buf, e, before)
  vim.bo[buf].modified = e.modified
  require("nvim-acp.files.merged").merged(buf, e.stat, before)
end

-- Makes an edit of what the disk has, which a buffer follows also where the user must not edit it, as when Neovim reads
-- the file again. Neovim would stop for a second to warn of a change of a read-only buffer.
local function follow(buf, e)
  local bo = vim.bo[buf]
  local modifiable, readonly = bo.modifiable, bo.readonly
  bo.modifiable, bo.readonly = true, false
  local ok, conflicts, problem, direct, exact = pcall(apply, buf, e)
  bo.modifiable, bo.readonly = modifiable, readonly
  return ok, conflicts, problem, direct, exact
end

-- Reports whether the disk has another version of a file than the one that an edit was made for.
local function overtaken(e)
  local now = require("nvim-acp.files.path").stat(e.real) or { sec = 0, nsec = 0, size = 0, ino = 0 }
  return e.was ~= vim.NIL and not vim.deep_equal(now, e.was)
end

-- Applies the edit if neither the buffer nor the file has changed since the edit was computed. Returns the answer, and
-- the hunks from the old text to that of now, none if it was not made.
local function fitting(buf, e)
  local fixed = not vim.bo[buf].modifiable or vim.bo[buf].readonly
  if require("nvim-acp.files.buffer").tick(buf) ~= e.tick or overtaken(e) or fixed and not e.taken then
    return { result = "stale" }, {} -- the host looks again, and hears why it is refused
  end
  local enc = not e.taken and (misfit(buf, e.disk, e.id) or misfit(buf, e.top, e.id))
  if enc then
    return { result = "encoding", reason = enc }, {}
  end
  local before = require("nvim-acp.files.merged").form(buf)
  local ok, conflicts, problem, direct, exact
  if fixed then
    ok, conflicts, problem, direct, exact = follow(buf, e)
  else
    ok, conflicts, problem, direct, exact = pcall(apply, buf, e)
  end
  if not ok then
    conflicts, problem = 0, conflicts
  end
  if not ok and require("nvim-acp.files.buffer").tick(buf) == e.tick then
    return { result = "busy", reason = "the editor" }, {} -- text is locked while an expression is evaluated
  end
  if ok and e.taken then
    merged(buf, e, before)
  end
  local stat = require("nvim-acp.files.path").stat(api.nvim_buf_get_name(buf))
  if stat then
    require("nvim-acp.files.merged").found(buf)
    stat = ok and not problem and e.save and require("nvim-acp.files.merged").version(buf) or stat
  end
  require("nvim-acp.files.conflict").mark(buf, e.conflicts + conflicts)
  if ok then
    require("nvim-acp.ui.try").call(require("nvim-acp.files.flash").show, buf, direct)
  end
  return {
    result = "ok",
    problem = problem and tostring(problem) or nil,
    conflicts = conflicts,
    exact = ok and exact or nil,
    tick = require("nvim-acp.files.buffer").tick(buf),
    told = require("nvim-acp.files.version").last(buf),
    stat = stat,
  },
    ok and direct or {}
end

--- Applies an agent's edit in one undo step: saves the text for the disk, then restores the user's changes on top.
---@param e table see Edit in host/files/editor.go
---@return table see Edited there
function M.edit(e)
  local buf = e.buf
  if not api.nvim_buf_is_loaded(buf) then
    return { result = "gone" }
  end
  local reason, after
  if e.save or #e.top > 0 then
    reason, after = require("nvim-acp.files.mode").unsafe(buf, e.force)
  end
  if reason then
    require("nvim-acp.files.mode").tell()
    return { result = "busy", reason = reason }
  end
  local typing = require("nvim-acp.files.typing")
  local typed = typing.at(buf)
  local answer, hunks = fitting(buf, e)
  if answer.result == "ok" then
    typing.restore(buf, typed, hunks) -- after the answer: it is no part of the edit
  end
  if after then
    after(hunks)
  elseif buf == api.nvim_get_current_buf() and api.nvim_get_mode().mode:sub(1, 1) == "i" then
    require("nvim-acp.files.menu").forget()
  end
  return answer
end

return M
