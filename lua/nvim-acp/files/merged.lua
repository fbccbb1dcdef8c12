--- Buffers with a merged version of their file that Neovim has not read itself: it would ask before overwriting that.
local M = {}

local api = vim.api

---@type table<integer, table> by buffer, the version of its file that was merged into it
local taken = {}

---@type table<integer, table> by buffer, the merged version whose time Neovim has noted
local noted = {}

---@type table<integer, table> by buffer, the version that it has read or written, until Neovim has noted its time
local unnoted = {}

---@type table<integer, table> by buffer in a merge window, the version of its file that it has read or written
local known = {}

---@type table<integer, { change: integer, clean: boolean }> by buffer, the undo state of its last merge
local states = {}

--- How the text of buffers was stored before and after each merge, the oldest first.
---@type table<integer, { change: integer, before: table, after: table }[]>
local forms = {}

local storing = api.nvim_create_augroup("nvim-acp.storing", { clear = true })
local form_options = { "fileformat", "fileencoding" }

--- Returns how a buffer's text is stored, which Neovim's undo does not restore.
---@param buf integer
---@return table
function M.form(buf)
  local form = { change = api.nvim_buf_call(buf, vim.fn.changenr) }
  for _, name in ipairs(form_options) do
    form[name] = vim.bo[buf][name]
  end
  return form
end

local function alike(a, b)
  return a.fileformat == b.fileformat and a.fileencoding == b.fileencoding
end

-- Restores how the text was stored after an undo or a redo, unless the user has changed that since.
local function restore_form(buf)
  local list = forms[buf]
  local now, set = M.form(buf), false
  local want = list[1].before
  for _, f in ipairs(list) do
    set = set or alike(now, f.before) or alike(now, f.after)
    want = f.change <= now.change and f.after or want
  end
  for _, name in ipairs(set and form_options or {}) do
    if vim.bo[buf][name] ~= want[name] then
      vim.bo[buf][name] = want[name]
    end
  end
end

-- Records that a merge has changed how the text is stored.
local function note_form(buf, before)
  local after = M.form(buf)
  if before.change == after.change or alike(before, after) then
    return
  elseif not forms[buf] then
    forms[buf] = {}
    local restore = function()
      restore_form(buf)
    end
    api.nvim_create_autocmd("TextChanged", { group = storing, buffer = buf, callback = restore })
  end
  table.insert(forms[buf], { change = after.change, before = before, after = after })
end

-- Marks a state before the merge as modified: the disk has another text, but Neovim, which has seen no write since,
-- considers the saved state unmodified.
local function mark_undone(args)
  local state = states[args.buf]
  if state and not vim.bo[args.buf].modified then
    local change = api.nvim_buf_call(args.buf, vim.fn.changenr)
    vim.bo[args.buf].modified = not state.clean or change ~= state.change
  end
end

--- How long a save waits for the merge of an agent's last write, in milliseconds. Behind that Neovim asks.
M.patience = 1000

local saving = api.nvim_create_augroup("nvim-acp.saving", { clear = true })
local lost = api.nvim_create_namespace("nvim-acp.lost")

--- Reports whether an autocommand is about the buffer's own file.
---@param args table
---@return boolean
function M.own_file(args)
  return vim.fn.fnamemodify(args.file, ":p") == api.nvim_buf_get_name(args.buf)
end

--- Removes the mark of a deleted file.
---@param buf integer
function M.found(buf)
  api.nvim_buf_clear_namespace(buf, lost, 0, -1) -- an edit that has saved the file has put it back on its line
  vim.b[buf].acp_deleted = nil
end

local function same(a, b)
  return a and b and a.sec == b.sec and a.nsec == b.nsec and a.size == b.size
end

-- Writes the buffer before the user's save if the file has the merged version and Neovim could not note its time, so
-- that it does not ask whether to overwrite a file that has changed since it read it.
local function write_first(args)
  local buf = args.buf
  local path = require("nvim-acp.files.path")
  local now = M.own_file(args) and path.stat(api.nvim_buf_get_name(buf))
  local has = taken[buf] or unnoted[buf]
  if now and same(now, has) and not same(now, noted[buf]) and same(now, path.stat(vim.fn.bufname(buf))) then
    pcall(function()
      vim.cmd("silent keepalt lockmarks noautocmd write!") -- if it fails, so does the user's own write, with the reason
    end)
  end
end

--- Merges an agent's last writes of the file before the user's save.
---@param args table of BufWritePre
function M.merge_first(args)
  local buf = args.buf
  local function settled()
    local now = require("nvim-acp.files.path").stat(api.nvim_buf_get_name(buf))
    return not now or same(now, taken[buf] or known[buf])
  end
  if not known[buf] or not M.own_file(args) then
    return
  elseif settled() then
    local backup = vim.o.backup or vim.o.patchmode ~= "" -- would be of that write, not of what was there before
    return unnoted[buf] and not backup and write_first(args)
  end
  require("nvim-acp.rpc").notify("look", { path = "" })
  require("nvim-acp.files.mode").allow(function()
    vim.wait(M.patience, settled, 5)
  end)
  write_first(args)
end

--- Records the version of its file that a buffer has read or written; nil ends that.
---@param buf integer
---@param stat table?
function M.know(buf, stat)
  known[buf] = stat
end

--- Returns the version of its file that a buffer has written last, nil if that is not known. The file may have another
--- by now, with the same text: agents that write it themselves as well give it that at once.
---@param buf integer
---@return table? stat
function M.version(buf)
  return known[buf] and known[buf].sec and known[buf] or nil
end

--- Records that a buffer could not be saved: what its file has now, maybe a part of the text, is not merged.
---@param buf integer
function M.not_saved(buf)
  if known[buf] then
    known[buf] = require("nvim-acp.files.path").stat(api.nvim_buf_get_name(buf)) or {}
  end
end

-- Has Neovim note the time of a merged version, so that no save of the user's asks about it, also one without
-- autocommands. A version that is newer has its time noted as well: it is merged at once then.
local function note(buf, stat)
  local path = require("nvim-acp.files.path")
  local name = api.nvim_buf_get_name(buf)
  if not same(path.stat(name), stat) then
    return
  end
  if require("nvim-acp.files.mtime").note(buf) then
    noted[buf] = stat
  end
  if not same(path.stat(name), stat) then
    require("nvim-acp.rpc").notify("look", { path = "" })
  end
end

--- Has Neovim note the time of a version that a buffer has read or written, since another program may have written the
--- same text again behind that: after the autocommands of the event, within which that cannot be done.
---@param buf integer
---@param stat table
function M.note_later(buf, stat)
  unnoted[buf] = stat
  vim.schedule(function()
    if unnoted[buf] == stat and api.nvim_buf_is_valid(buf) then
      unnoted[buf] = nil
      note(buf, stat)
    end
  end)
end

--- Records that a version of its file that Neovim has not read was merged into a buffer.
---@param buf integer
---@param stat table
---@param before table the storage of its text before, see form
function M.merged(buf, stat, before)
  M.found(buf)
  note_form(buf, before)
  states[buf] = { change = api.nvim_buf_call(buf, vim.fn.changenr), clean = not vim.bo[buf].modified }
  if not taken[buf] then
    api.nvim_clear_autocmds({ group = saving, buffer = buf })
    api.nvim_create_autocmd("BufWritePre", { group = saving, buffer = buf, callback = write_first })
    api.nvim_create_autocmd({ "TextChanged", "QuitPre" }, { group = saving, buffer = buf, callback = mark_undone })
    api.nvim_create_autocmd("BufWritePost", {
      group = saving,
      buffer = buf,
      callback = function(args)
        if M.own_file(args) and not vim.bo[buf].modified then
          taken[buf], states[buf] = nil, nil
          vim.schedule(function()
            if not taken[buf] then
              pcall(api.nvim_clear_autocmds, { group = saving, buffer = buf })
            end
          end)
        end
      end,
    })
  end
  taken[buf], unnoted[buf] = stat, nil
  note(buf, stat)
end

--- Drops the state of an unloaded buffer.
---@param buf integer
function M.forget(buf)
  taken[buf], noted[buf], unnoted[buf], known[buf], states[buf], forms[buf] = nil, nil, nil, nil, nil, nil
  api.nvim_clear_autocmds({ group = storing, buffer = buf })
end

-- Reports whether the user has a buffer: others were loaded for a language server only, and go with their file.
local function in_use(buf)
  return vim.bo[buf].buflisted or vim.bo[buf].modified or #vim.fn.win_findbuf(buf) > 0
end

--- Marks a buffer whose file an agent has deleted, or moved: its text stays.
---@param path string
---@param to string where it was moved; "" if it was not, as far as that is known
function M.deleted(path, to)
  local buf = require("nvim-acp.files.buffer").find(path)
  if buf and in_use(buf) and (to ~= "" or not vim.b[buf].acp_deleted) then
    M.found(buf)
    vim.b[buf].acp_deleted = true
    vim.bo[buf].modified = true
    local short = vim.fn.fnamemodify(path, ":.")
    local where = to ~= "" and "moved to " .. vim.fn.fnamemodify(to, ":.") or nil
    local chunks = { { where or "deleted on disk", "WarningMsg" } }
    api.nvim_buf_set_extmark(buf, lost, 0, 0, { virt_text = require("nvim-acp.ui.virtual").text(chunks) })
    require("nvim-acp.ui.message").warn(("%s was %s; its text is still here"):format(short, where or "deleted"))
  end
end

return M
