--- Stored notes, each in a file of its own: Neovims that run at the same time share them, and what one adds, changes or
--- removes, no other overwrites.
local M = {}

local uv = vim.uv

---@class acp.StoredNote
---@field text string
---@field path string
---@field name string
---@field first integer
---@field last integer
---@field lines string[]

local fields = { "text", "path", "name", "first", "last", "lines" }

local function folder()
  return vim.fn.stdpath("state") .. "/nvim-acp/notes"
end

local function file(id)
  return ("%s/%s.json"):format(folder(), id)
end

-- Returns an id that no other note has. Later ones sort after it.
local function new_id()
  local sec, usec = uv.gettimeofday()
  return ("%010d%06d-%d-%x"):format(sec, usec, uv.os_getpid(), uv.hrtime() % 2 ^ 20)
end

-- Reports whether a value is a note; what is none stays as it is.
local function is_note(n)
  local function row(value)
    return type(value) == "number" and value >= 1 and value % 1 == 0
  end
  return type(n) == "table"
    and type(n.text) == "string"
    and type(n.path) == "string"
    and type(n.name) == "string"
    and row(n.first)
    and row(n.last)
    and n.last >= n.first
    and type(n.lines) == "table"
    and vim.islist(n.lines)
    and vim.iter(n.lines):all(function(line)
      return type(line) == "string"
    end)
end

-- Returns what is stored of a note.
local function stored(note)
  local out = {}
  for _, field in ipairs(fields) do
    out[field] = note[field]
  end
  return out
end

local function put(id, value)
  return require("nvim-acp.config.atomic").write(file(id), vim.json.encode(value))
end

-- Gives each note of the one file that earlier versions had its own. Two Neovims that do so at once write the same.
local function convert()
  local path = require("nvim-acp.config.store").path("notes")
  local old = require("nvim-acp.ui.disk").json(path)
  local list = type(old) == "table" and old.notes
  if type(list) ~= "table" then
    return
  end
  local all = vim.islist(list)
  for i, note in ipairs(list) do
    if is_note(note) then
      if
        not put(
          ("%016d-%s"):format(i, vim.fn.sha256(vim.json.encode({ note.path, note.text })):sub(1, 16)),
          stored(note)
        )
      then
        return
      end
    else
      all = false
    end
  end
  if all then
    uv.fs_unlink(path)
  else
    uv.fs_rename(path, path .. ".old")
  end
end

local seen ---@type string? the time of the folder, if it was read later than any change of that time

--- Returns the stored notes by their ids, nil if they are as they were when they were last read, or cannot be read.
---@return table<string, acp.StoredNote>?
function M.read()
  local stat = uv.fs_stat(folder())
  if not stat then
    return nil
  end
  local time = ("%d.%d.%d"):format(stat.ino, stat.mtime.sec, stat.mtime.nsec)
  if time == seen then
    return nil
  end
  local scan = uv.fs_scandir(folder())
  if not scan then
    return nil
  end
  seen = math.abs(uv.gettimeofday() - stat.mtime.sec) > 2 and time or nil
  local found = {}
  for name in uv.fs_scandir_next, scan do
    local id = name:match("^(.+)%.json$")
    local note = id and require("nvim-acp.ui.disk").json(file(id))
    if is_note(note) then
      found[id] = stored(note)
    end
  end
  return found
end

--- Returns the stored notes at the start of Neovim.
---@return table<string, acp.StoredNote>?
function M.first()
  convert()
  return M.read()
end

--- Stores a note, if it is not stored as it is. One that another Neovim has removed meanwhile stays removed.
---@param note acp.Note
---@return boolean stored
function M.write(note)
  local value = stored(note)
  if vim.deep_equal(value, note.stored) or note.id and not uv.fs_stat(file(note.id)) then
    return true
  end
  local id = note.id or new_id()
  if not put(id, value) then
    return false
  end
  note.id, note.stored = id, value
  return true
end

--- Takes over what another Neovim has changed of a note. Where its lines are is known better here, while it is shown.
---@param note acp.Note
---@param value acp.StoredNote
---@return boolean changed what is shown
function M.merge(note, value)
  local changed = false
  for _, field in ipairs(fields) do
    local here = note.buf and (field == "first" or field == "last" or field == "lines")
    if not here and not vim.deep_equal(value[field], note.stored[field]) then
      note[field], changed = value[field], true
    end
  end
  note.stored = value
  return changed
end

---@param note acp.Note
function M.remove(note)
  if note.id then
    uv.fs_unlink(file(note.id))
  end
end

return M
