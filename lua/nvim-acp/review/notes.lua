--- Notes of the user on lines, for an agent: shown below the lines, kept over a restart, sent together as one prompt.
local M = {}

local api = vim.api
local files = require("nvim-acp.review.note_files")
local ns = api.nvim_create_namespace("nvim-acp.notes")
local group = api.nvim_create_augroup("nvim-acp.notes", { clear = true })

---@class acp.Note
---@field text string
---@field path string? real, nil for a buffer that is no file
---@field name string of the buffer
---@field first integer 1-based
---@field last integer
---@field lines string[] that it stands on
---@field buf integer? where it is shown
---@field mark integer? on its lines
---@field below integer? its text
---@field gone boolean? its lines are, as far as they are shown
---@field id string? of its file
---@field stored acp.StoredNote? what that has, as this Neovim knows it

---@type acp.Note[] in the order in which they were made
local notes = {}

-- Takes over the lines that a shown note is on by now. One whose lines are gone is about those that it was on.
local function refresh(note)
  if not note.buf or not api.nvim_buf_is_loaded(note.buf) then
    return
  end
  require("nvim-acp.files.follow").flush(note.buf)
  local at = api.nvim_buf_get_extmark_by_id(note.buf, ns, note.mark, { details = true })
  if not at[1] then
    return
  end
  local row, col, stop = at[1], at[2], at[3]
  local empty = row == stop.end_row and col == stop.end_col
  if note.gone then -- what is typed where they were is not theirs: it moves the start beyond the end
    empty = empty or row > stop.end_row or row == stop.end_row and col > stop.end_col
  end
  local blank = #note.lines == 1 and note.lines[1] == "" -- its mark is always empty
  note.gone = empty and not (blank and api.nvim_buf_get_lines(note.buf, row, row + 1, false)[1] == "")
  if not note.gone then
    local count = api.nvim_buf_line_count(note.buf)
    note.first = math.min(row + 1, count)
    note.last = math.max(math.min(stop.end_row + 1, count), note.first)
    note.lines = api.nvim_buf_get_lines(note.buf, note.first - 1, note.last, false)
  end
end

local function hide(note)
  if note.buf and api.nvim_buf_is_valid(note.buf) then
    api.nvim_buf_del_extmark(note.buf, ns, note.mark)
    api.nvim_buf_del_extmark(note.buf, ns, note.below)
  end
  note.buf, note.mark, note.below = nil, nil, nil
end

-- Removes a note from what is known here.
local function forget(note)
  hide(note)
  for i, other in ipairs(notes) do
    if other == note then
      table.remove(notes, i)
    end
  end
end

local settle ---@type fun(buf: integer, r: acp.Replaced)

local function show(note, buf)
  require("nvim-acp.ui.style").define()
  local bar = require("nvim-acp.ui.style").icons().bar
  local rows = require("nvim-acp.ui.rows").barred(buf, note.text, "AcpNote")
  local count = api.nvim_buf_line_count(buf)
  local first, last = math.min(note.first, count), math.min(note.last, count)
  note.buf = buf
  note.mark = api.nvim_buf_set_extmark(buf, ns, first - 1, 0, {
    id = note.mark,
    end_row = note.gone and first - 1 or last - 1, -- not the start of the line below, which would have a sign, too
    end_col = note.gone and 0 or #api.nvim_buf_get_lines(buf, last - 1, last, false)[1],
    sign_text = bar,
    sign_hl_group = "AcpNote",
  })
  local below = { id = note.below, virt_lines = require("nvim-acp.ui.virtual").lines(rows) }
  note.below = api.nvim_buf_set_extmark(buf, ns, last - 1, 0, below)
  require("nvim-acp.files.follow").watch(buf, "notes", settle)
end

-- Puts the notes of a buffer back to their lines after a tick in which Neovim may have moved their marks away.
function settle(buf, r)
  for _, note in ipairs(notes) do
    if note.buf == buf then
      local first, lines, was_gone = note.first, note.lines, note.gone or false
      refresh(note)
      local row
      if note.gone or not vim.deep_equal(note.lines, lines) then
        row = require("nvim-acp.files.follow").again(buf, r, first - 1, lines, was_gone)
        local mark = api.nvim_buf_get_extmark_by_id(buf, ns, note.mark, {})
        local lost = mark[1] and mark[1] >= r.now and not was_gone
        row = row or lost and r.last == r.now and first - 1 or nil -- replaced line by line
      end
      if row then
        note.first, note.last, note.gone = row + 1, row + #lines, false
      end
      local below = api.nvim_buf_get_extmark_by_id(buf, ns, note.below, {})[1]
      if row or below == api.nvim_buf_line_count(buf) then -- what is there, behind the last line, is not shown
        show(note, buf)
        refresh(note)
      end
    end
  end
end

--- Returns a function that puts the notes of a buffer back to their lines after hunks were replaced: Neovim moves a
--- mark of a line that is replaced to the next one.
---@param buf integer
---@param hunks { [1]: integer, [2]: integer, [3]: integer }[] first, last (from 0, half open), count of new lines
---@return fun()
function M.hold(buf, hunks)
  local held = {}
  for _, note in ipairs(notes) do
    if note.buf == buf then
      refresh(note)
    end
    if note.buf == buf and not note.gone then
      local first, last = require("nvim-acp.files.moved").lines(note.first, note.last, hunks)
      if first then
        table.insert(held, { note, first, last })
      end
    end
  end
  return function()
    for _, h in ipairs(held) do
      h[1].first, h[1].last = h[2], h[3]
      show(h[1], buf)
      h[1].lines = api.nvim_buf_get_lines(buf, h[2] - 1, h[3], false)
    end
  end
end

-- Shows the notes of a file in its buffer.
local function place(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == "" or vim.bo[buf].buftype ~= "" then
    return
  end
  local path = require("nvim-acp.files.path").real(name)
  for _, note in ipairs(notes) do
    local shown = note.buf and api.nvim_buf_is_loaded(note.buf) -- it may have gone without autocommands
    if note.path == path and not shown then
      local row = require("nvim-acp.files.follow").find(buf, note.first, note.lines[1])
      note.gone = row == nil
      row = row or math.min(note.first, api.nvim_buf_line_count(buf))
      note.first, note.last = row, row + note.last - note.first
      show(note, buf)
    end
  end
end

-- Adds, changes and removes what other Neovims have since, as far as it is stored.
---@param found table<string, acp.StoredNote>? by id
local function sync(found)
  if not found then
    return
  end
  local new = false
  for _, note in ipairs(vim.list_slice(notes)) do
    local value = note.id and found[note.id]
    if value then
      if files.merge(note, value) then
        hide(note)
        new = true
      end
      found[note.id] = nil
    elseif note.id then
      forget(note)
    end
  end
  local ids = vim.tbl_keys(found)
  table.sort(ids)
  for _, id in ipairs(ids) do
    table.insert(notes, vim.tbl_extend("error", found[id], { id = id, stored = found[id] }))
    new = true
  end
  if new then
    vim.iter(api.nvim_list_bufs()):filter(api.nvim_buf_is_loaded):each(place)
  end
end

local warned = false -- the user knows that notes cannot be stored

-- Stores the notes on files, where sessions are recorded at all.
local function store()
  if not require("nvim-acp.config").options.record.enabled then
    return
  end
  sync(files.read())
  local all = true
  for _, note in ipairs(notes) do
    refresh(note)
    all = (not note.path or files.write(note)) and all
  end
  if not all and not warned then
    require("nvim-acp.ui.message").warn("the notes cannot be stored")
  end
  warned = not all
end

api.nvim_create_autocmd("BufReadPost", {
  group = group,
  callback = function(args)
    for _, note in ipairs(notes) do
      if note.buf == args.buf then -- it was read again
        hide(note)
      end
    end
    sync(files.read())
    place(args.buf)
  end,
})
api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    for _, note in ipairs(notes) do
      refresh(note)
      if note.buf and api.nvim_buf_is_loaded(note.buf) and not note.gone then
        show(note, note.buf)
      end
    end
  end,
})
api.nvim_create_autocmd("FocusGained", {
  group = group,
  callback = function()
    sync(files.read())
  end,
})

local renamed = require("nvim-acp.files.renamed")

---@type acp.renamed.Marks
local marks = {
  list = function()
    return notes
  end,
  hide = function(note)
    refresh(note)
    hide(note)
  end,
  place = place,
  rename = function(note, to)
    note.path, note.name = to, to
  end,
  store = store,
}
renamed.follow(marks)

api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(args)
    renamed.unload(marks, args.buf) -- extmarks of a buffer outlive that it is read again
  end,
})
api.nvim_create_autocmd({ "BufWritePost", "VimLeavePre" }, {
  group = group,
  callback = store,
})

sync(files.first())

-- Returns the note at lines of a buffer. One whose lines are gone is where it is shown.
local function at(buf, first, last)
  for _, note in ipairs(notes) do
    refresh(note)
    if note.buf == buf then
      local row = note.gone and api.nvim_buf_get_extmark_by_id(buf, ns, note.mark, {})[1]
      local from, to = row and row + 1 or note.first, row and row + 1 or note.last
      if from <= last and first <= to then
        return note
      end
    end
  end
end

-- Returns a new note on lines of a buffer.
local function new(buf, first, last)
  local name = api.nvim_buf_get_name(buf)
  local file = name ~= "" and vim.bo[buf].buftype == ""
  return {
    path = file and require("nvim-acp.files.path").real(name) or nil,
    name = name ~= "" and name or "[No Name]",
    first = first,
    last = last,
    lines = api.nvim_buf_get_lines(buf, first - 1, last, false),
  }
end

-- Sets the text of a note; one without text is removed.
local function set(note, buf, text)
  local known = vim.list_contains(notes, note)
  note.text = vim.trim(text)
  if note.text ~= "" then
    if not known then
      table.insert(notes, note)
    end
    if api.nvim_buf_is_loaded(buf) then
      show(note, buf)
    end
    store()
  elseif known then
    M.remove(note)
  end
end

-- Asks for the text of a note. What is new is on its lines where they are then, or on what they were.
local function ask(note, buf)
  local followed, message = require("nvim-acp.files.lines"), require("nvim-acp.ui.message")
  local lines = followed.follow(buf, note.first, note.last)
  followed.ask(lines, "Note for the agent", function(typed)
    local range, problem = followed.take(lines)
    sync(files.read())
    if vim.list_contains(notes, note) then
      return set(note, buf, typed)
    elseif vim.trim(typed) == "" then
      return
    elseif not api.nvim_buf_is_loaded(buf) and not note.path then
      return message.warn("not noted: " .. problem)
    elseif not range then
      message.warn("noted on lines as they were: " .. problem, { problem })
    end
    note.first, note.last, note.lines, note.gone = lines.first, lines.last, lines.text, lines.gone
    note.id, note.stored = nil, nil -- another Neovim may have removed it
    set(note, buf, typed)
  end, { value = note.text })
end

--- Makes, edits or removes a note on lines of the current buffer.
---@param first integer 1-based
---@param last integer
---@param text string "": it is typed into a float, which has the text of the note that is there
---@param remove boolean
function M.run(first, last, text, remove)
  local buf = api.nvim_get_current_buf()
  if vim.b[buf].acp_kind == "prompt" then
    return require("nvim-acp.ui.message").warn("no note in the prompt: they are for lines of a buffer")
  end
  sync(files.read())
  local note = at(buf, first, last) or new(buf, first, last)
  if text ~= "" or remove then
    return set(note, buf, remove and "" or text)
  end
  ask(note, buf)
end

--- Returns the notes, the oldest first.
---@return acp.Note[]
function M.list()
  sync(files.read())
  for _, note in ipairs(notes) do
    refresh(note)
  end
  return notes
end

--- Removes a note.
---@param note acp.Note
function M.remove(note)
  files.remove(note)
  forget(note)
end

return M
