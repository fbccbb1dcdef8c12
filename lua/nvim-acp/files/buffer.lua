--- File buffers: found by identity, read in slices, opened.
local M = {}

local api = vim.api

-- Bytes of lines in one answer, and in one piece of shared memory: more would block the main loop for too long.
local slice, shared = 256 * 1024, 384 * 1024

local function same_file(name, path, stat)
  local other = vim.uv.fs_stat(name)
  if stat and other then
    return stat.dev == other.dev and stat.ino == other.ino
  elseif stat or other then
    return false
  end
  return require("nvim-acp.files.path").real(name) == path
end

local function is_file(buf)
  local type = vim.bo[buf].buftype
  return api.nvim_buf_is_loaded(buf) and type ~= "nofile" and type ~= "terminal"
end

---@type table<integer, string> by buffer, its name, where that is the real path of its file
local real_names = {}
---@type table<integer, boolean> buffers whose names are links
local links = {}
---@type table<integer, boolean> buffers of which it is not known yet which of these they are
local fresh = {}

--- Returns the real path of a buffer's file, "" for a buffer without a name. It is looked up once for each name: with
--- thousands of buffers that would take too long.
---@param buf integer
---@return string
function M.real(buf)
  local name = api.nvim_buf_get_name(buf)
  fresh[buf] = nil
  if name == "" or real_names[buf] == name then
    return name
  end
  local path = require("nvim-acp.files.path").real(name)
  real_names[buf] = path == name and name or nil
  links[buf] = path ~= name or nil
  return path
end

--- Returns the real path of a buffer's file, nil if it is not a plain file. A buffer that is not loaded has none:
--- `:saveas` makes such a buffer for the old name, and its own name before says nothing.
---@param buf integer
---@return string?
function M.plain(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == "" or not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" or name:match("^%a[%w+.-]+://") then
    return nil
  end
  return M.real(buf)
end

---@type table<integer, integer> by buffer, how often it has got another name
local names = {}

--- Returns a number that is another one when a buffer has another text than before, or another name: what was computed
--- for the file that it was is not for the one that it is.
---@param buf integer
---@return integer
function M.tick(buf)
  return api.nvim_buf_get_changedtick(buf) + (names[buf] or 0) * 2 ^ 32
end

for _, buf in ipairs(api.nvim_list_bufs()) do
  fresh[buf] = true
end

-- Looks at the buffers that were there before, a few at a time.
local function look()
  local till = vim.uv.hrtime() + 2e6
  for buf in pairs(fresh) do
    if vim.uv.hrtime() > till then
      return vim.defer_fn(look, 2)
    elseif api.nvim_buf_is_valid(buf) then
      M.real(buf)
    end
    fresh[buf] = nil
  end
end

vim.schedule(look)
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost" }, {
  group = api.nvim_create_augroup("nvim-acp.names", { clear = true }),
  callback = function(args)
    real_names[args.buf] = nil
    if args.event == "BufFilePost" then
      names[args.buf] = (names[args.buf] or 0) + 1
    end
    M.real(args.buf)
  end,
})

-- Returns the loaded buffer of a file whose name is a link to it.
local function find_link(path, stat)
  for buf in pairs(fresh) do
    if api.nvim_buf_is_valid(buf) then
      M.real(buf)
    end
    fresh[buf] = nil
  end
  for buf in pairs(links) do
    if not api.nvim_buf_is_valid(buf) then
      links[buf] = nil
    elseif is_file(buf) and same_file(api.nvim_buf_get_name(buf), path, stat) then
      return buf
    end
  end
end

--- The loaded buffer of a file. Never by name pattern: by real path, or device and inode.
---@param path string absolute, symbolic links resolved where the file exists
---@return integer?
function M.find(path)
  local stat = vim.uv.fs_stat(path)
  if vim.fn.bufexists(path) == 1 then -- by its name, or by the inode that its file had when Neovim last looked
    local buf = require("nvim-acp.files.load").add(path)
    if is_file(buf) and (api.nvim_buf_get_name(buf) == path or same_file(api.nvim_buf_get_name(buf), path, stat)) then
      return buf
    end
  end
  return find_link(path, stat)
end

-- The most bytes of a file that is compared with its buffer at each save.
local comparable = 1024 * 1024

--- Returns the text that Neovim has just written or read, nil if it is too large to compare with the file.
---@param buf integer
---@param path string
---@param stat { size: integer }
---@param lines string[]? that it has read or written; nil: those of the buffer
---@return string?
---@return boolean? overtaken the file has already changed again
function M.written(buf, path, stat, lines)
  local bo = vim.bo[buf]
  local utf8 = bo.fileencoding == "" or bo.fileencoding == "utf-8"
  local size = api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf))
  if not utf8 or bo.bomb or bo.fileformat == "mac" or math.max(size, stat.size) > comparable then
    return nil
  end
  lines = lines or api.nvim_buf_get_lines(buf, 0, -1, false)
  for i, line in ipairs(lines) do
    lines[i] = line:gsub("\n", "\0")
  end
  local eol = bo.fileformat == "dos" and "\r\n" or "\n"
  local text = table.concat(lines, eol)
  local disk = require("nvim-acp.ui.disk").read(path)
  if not disk or disk == text or disk == text .. eol then
    return disk
  end
  return text .. eol, true
end

-- Returns the line up to which lines from first on have that many bytes; at least one line.
local function extent(buf, first, bytes)
  local low, high = first + 1, api.nvim_buf_line_count(buf)
  local most = api.nvim_buf_get_offset(buf, first) + bytes
  if high <= low or api.nvim_buf_get_offset(buf, high) <= most then
    return high
  end
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if api.nvim_buf_get_offset(buf, middle) <= most then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

--- Returns lines of a buffer from first on (0-based), joined, as many as fit one answer.
---@param buf integer
---@param tick integer that the buffer must have
---@param first integer
---@param nul boolean? NUL bytes as such, not as line breaks
---@return { last: integer, text: string }? nil if the buffer has changed; last is the line after them
function M.lines(buf, tick, first, nul)
  if not api.nvim_buf_is_loaded(buf) or M.tick(buf) ~= tick then
    return nil
  end
  local last = extent(buf, first, slice)
  local lines = api.nvim_buf_get_lines(buf, first, last, false)
  if nul then
    for i, line in ipairs(lines) do
      lines[i] = line:gsub("\n", "\0")
    end
  end
  return { last = last, text = table.concat(lines, "\n") }
end

-- In Vim script, since strings of Lua take twice the time.
api.nvim_exec2(
  [[function! NvimAcpShare(buf, first, last, path) abort
    return writefile(getbufline(a:buf, a:first, a:last), a:path, 'aS')
  endfunction]],
  {}
)

--- Appends lines of a buffer from first on (0-based) to a file, as many as one call may.
---@param buf integer
---@param tick integer that the buffer must have
---@param first integer
---@param path string
---@return integer last the line after them; 0 if the buffer has changed or nothing can be written there
function M.share(buf, tick, first, path)
  if not api.nvim_buf_is_loaded(buf) or M.tick(buf) ~= tick then
    return 0
  end
  local last = extent(buf, first, shared)
  local ok, result = pcall(vim.fn.NvimAcpShare, buf, first + 1, last, path)
  return ok and result == 0 and last or 0
end

--- Returns the state of the loaded buffer of a file, with its lines where all of them fit one answer: of a longer text
--- the host may have this version.
---@param path string
---@param write boolean whether it will be edited
---@return table its buf is 0 if it is not loaded
function M.snapshot(path, write)
  local access = require("nvim-acp.files.access")
  local buf = M.find(path)
  if not buf then
    return { buf = 0, refused = write and access.unsaved_elsewhere(path) or nil }
  end
  local bo = vim.bo[buf]
  local waits = require("nvim-acp.files.settled").unsettled(buf)
  if waits then
    require("nvim-acp.files.mode").tell()
    return { buf = buf, modified = bo.modified, waits = waits }
  end
  local tick = M.tick(buf)
  local stat = vim.uv.fs_stat(path)
  local count = api.nvim_buf_line_count(buf)
  local size = api.nvim_buf_get_offset(buf, count)
  local long = size > slice
  return {
    buf = buf,
    tick = tick,
    count = count,
    size = size,
    long = long,
    text = not long and M.lines(buf, tick, 0).text or "",
    modified = bo.modified,
    told = require("nvim-acp.files.version").last(buf),
    unwritten = require("nvim-acp.files.version").unwritten(buf),
    crlf = bo.fileformat == "dos",
    mac = bo.fileformat == "mac",
    eol = bo.endofline,
    empty = bo.modified or not stat or stat.size == 0,
    encoding = bo.fileencoding,
    special = bo.buftype ~= "" or access.write_cmd(buf),
    refused = write and access.refused(buf, path) or nil,
  }
end

--- Decodes text that the host cannot, to UTF-8.
---@param data string
---@param encoding string a 'fileencoding'
---@return string? nil if it is not text of that encoding
function M.decode(data, encoding)
  return vim.iconv(data, encoding, "utf-8")
end

--- Tells a loaded buffer that its file was written by the host.
---@param path string
function M.disk_changed(path)
  local buf = M.find(path)
  if buf and not vim.bo[buf].modified then
    require("nvim-acp.ui.ex").run({ cmd = "checktime", count = buf, mods = { emsg_silent = true } })
  end
end

--- Shows a file that is not text in the system's viewer for it.
---@param path string
function M.view(path)
  local _, err = vim.ui.open(path)
  if err then
    require("nvim-acp.ui.message").warn(err .. "; it is in " .. path)
  end
end

--- Opens a regular file at a line, in the last used ordinary window.
---@param path string
---@param line integer? 1-based
function M.go(path, line)
  local load = require("nvim-acp.files.load")
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    return require("nvim-acp.ui.message").warn("not a file: " .. path)
  end
  local buf = M.find(path) or load.add(path)
  vim.bo[buf].buflisted = true
  load.plain(buf)
  require("nvim-acp.files.window").show(buf)
  if line and line > 0 then
    pcall(api.nvim_win_set_cursor, 0, { math.min(line, api.nvim_buf_line_count(buf)), 0 })
    vim.cmd("normal! zv")
  end
end

return M
