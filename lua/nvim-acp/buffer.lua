--- File buffers: found by identity, read whole, edited in hunks, saved.
local M = {}

local api = vim.api

local function same_file(name, path, stat)
  if name == path then
    return true
  end
  local other = vim.uv.fs_stat(name)
  if stat and other then
    return stat.dev == other.dev and stat.ino == other.ino
  elseif stat or other then
    return false
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  return folder ~= nil and folder .. "/" .. vim.fs.basename(name) == path
end

--- The loaded buffer of a file. Never by name pattern: by real path, or device and inode.
---@param path string absolute, symbolic links resolved where the file exists
---@return integer?
function M.find(path)
  local stat = vim.uv.fs_stat(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype ~= "nofile" and vim.bo[buf].buftype ~= "terminal" then
      local name = api.nvim_buf_get_name(buf)
      if name ~= "" and same_file(name, path, stat) then
        return buf
      end
    end
  end
end

local function can_write(buf)
  if not vim.bo[buf].modifiable then
    return "the buffer is not modifiable"
  elseif vim.bo[buf].readonly then
    return "the buffer is read-only"
  end
end

--- The text and state of the loaded buffer of a file.
---@param path string
---@return table { buf = 0 } when it is not loaded
function M.snapshot(path)
  local buf = M.find(path)
  if not buf then
    return { buf = 0 }
  end
  local bo = vim.bo[buf]
  return {
    buf = buf,
    tick = api.nvim_buf_get_changedtick(buf),
    text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n"),
    modified = bo.modified,
    crlf = bo.fileformat == "dos",
    bom = bo.bomb,
    eol = bo.endofline or (bo.fixendofline and not bo.binary),
    special = bo.buftype ~= "",
    refused = can_write(buf),
  }
end

-- Modes in which an edit cannot spoil what the user is doing.
local function safe_mode()
  local mode = api.nvim_get_mode()
  if mode.blocking then
    return false
  end
  local first = mode.mode:sub(1, 1)
  if mode.mode == "no" or mode.mode:sub(1, 2) == "no" then
    return false
  end
  return first == "n"
    or first == "t"
    or first == "c"
    or (first == "i" and vim.fn.pumvisible() == 0 and mode.mode ~= "ix" and mode.mode ~= "ic")
end

-- Tells the host once that the mode has changed, so that an edit that waits is tried again.
local function watch_mode()
  api.nvim_create_autocmd({ "ModeChanged", "CompleteDone", "InsertLeave" }, {
    group = api.nvim_create_augroup("nvim-acp.mode", { clear = true }),
    once = true,
    callback = function()
      vim.schedule(function()
        require("nvim-acp.rpc").notify("safe", {})
      end)
    end,
  })
end

-- Extmarks that carry the cursors and views of all windows on a buffer across an edit.
local places = api.nvim_create_namespace("nvim-acp.places")

local function keep_places(buf)
  local kept = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cursor = api.nvim_win_get_cursor(win)
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    local function mark(row, col)
      return api.nvim_buf_set_extmark(buf, places, row, col, { strict = false })
    end
    table.insert(
      kept,
      { win = win, view = view, cursor = mark(cursor[1] - 1, cursor[2]), top = mark(view.topline - 1, 0) }
    )
  end
  return kept
end

local function restore_places(buf, kept)
  for _, k in ipairs(kept) do
    local cursor = api.nvim_buf_get_extmark_by_id(buf, places, k.cursor, {})
    local top = api.nvim_buf_get_extmark_by_id(buf, places, k.top, {})
    local line = api.nvim_buf_get_lines(buf, cursor[1], cursor[1] + 1, false)[1] or ""
    api.nvim_win_call(k.win, function()
      k.view.lnum, k.view.col, k.view.topline = cursor[1] + 1, math.min(cursor[2], #line), top[1] + 1
      vim.fn.winrestview(k.view)
    end)
  end
  api.nvim_buf_clear_namespace(buf, places, 0, -1)
end

-- Replaces hunks { first, last, lines } (0-based, half open, ordered), the last one first.
local function replace(buf, hunks)
  for i = #hunks, 1, -1 do
    local h = hunks[i]
    api.nvim_buf_set_lines(buf, h.first, h.last, false, h.lines)
  end
end

-- Setting 'undolevels' to itself ends the undo block.
local function undo_break(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

local function save(buf, format)
  local ignore = vim.o.eventignore
  if
    not format
    and vim.bo[buf].buftype == ""
    and vim.fn.exists("#BufWriteCmd#" .. vim.fn.fnameescape(api.nvim_buf_get_name(buf))) == 0
  then
    vim.o.eventignore = ignore == "" and "BufWritePre" or ignore .. ",BufWritePre"
  end
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    vim.cmd("silent keepalt write!")
  end)
  vim.o.eventignore = ignore
  return ok, not ok and tostring(err) or nil
end

--- Makes an agent's edit: first what the disk gets, saved, then what the user had on top; one undo step.
---@param e { buf: integer, tick: integer, disk: any[], top: any[], save: boolean, format: boolean, eol: boolean }
---@return { result: "ok"|"stale"|"busy"|"gone", problem: string?, tick: integer? }
function M.edit(e)
  local buf = e.buf
  if not api.nvim_buf_is_loaded(buf) then
    return { result = "gone" }
  elseif not safe_mode() then
    watch_mode()
    return { result = "busy" }
  elseif api.nvim_buf_get_changedtick(buf) ~= e.tick then
    return { result = "stale" }
  end
  local kept = keep_places(buf)
  undo_break(buf)
  replace(buf, e.disk)
  if vim.bo[buf].endofline ~= e.eol then
    vim.bo[buf].endofline = e.eol
    vim.bo[buf].fixendofline = vim.bo[buf].fixendofline and e.eol
  end
  local problem
  if e.save then
    local ok, err = save(buf, e.format)
    problem = not ok and err or nil
  end
  replace(buf, e.top)
  undo_break(buf)
  restore_places(buf, kept)
  return { result = "ok", problem = problem, tick = api.nvim_buf_get_changedtick(buf) }
end

--- Tells a loaded buffer that its file was written by the host.
---@param path string
function M.disk_changed(path)
  local buf = M.find(path)
  if buf and not vim.bo[buf].modified then
    vim.cmd(("silent! checktime %d"):format(buf))
  end
end

--- Opens a regular file at a line, in a window that is not the chat's.
---@param path string
---@param line integer? 1-based
function M.go(path, line)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    return require("nvim-acp.message").warn("not a file: " .. path)
  end
  local target
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local plain = api.nvim_win_get_config(win).relative == "" and not vim.wo[win].winfixbuf
    if plain and vim.b[api.nvim_win_get_buf(win)].acp_session == nil then
      target = target or win
    end
  end
  local buf = M.find(path) or vim.fn.bufadd(path)
  vim.bo[buf].buflisted = true
  vim.fn.bufload(buf)
  if target then
    api.nvim_win_set_buf(target, buf)
    api.nvim_set_current_win(target)
  else
    api.nvim_set_current_win(api.nvim_open_win(buf, true, { split = "left", win = -1 }))
    vim.wo.winfixbuf = false
  end
  if line and line > 0 then
    pcall(api.nvim_win_set_cursor, 0, { math.min(line, api.nvim_buf_line_count(buf)), 0 })
    vim.cmd("normal! zv")
  end
end

return M
