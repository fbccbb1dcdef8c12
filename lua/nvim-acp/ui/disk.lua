--- The one door to files that Lua reads and appends to: regular ones only, opened without waiting, so that a pipe with
--- nobody at its other end cannot hold Neovim; and not more of one than it has room for.
local M = {}

local uv = vim.uv

local c = uv.constants
local nonblock = c.O_NONBLOCK or 0
local flags = {
  r = c.O_RDONLY + nonblock,
  a = c.O_RDWR + c.O_APPEND + c.O_CREAT + nonblock,
}

local most = 16 * 2 ^ 20 -- bytes of a file that is read

local complained = {} ---@type table<string, boolean> by path
local untold = {} ---@type string[]
local tell = function(text)
  table.insert(untold, text)
end

--- Has a function say what is left out, of which this is said once for each file.
---@param fn fun(text: string)
function M.tell(fn)
  tell = fn
  vim.tbl_map(fn, untold)
  untold = {}
end

local function complain(path, why)
  if not complained[path] then
    complained[path] = true
    tell(("%s is %s: it is left out"):format(path, why))
  end
end

--- Returns the name of what is kept of a folder. It is not its hash: sha256() tests itself when it is first called, for
--- 2.7 ms.
---@param folder string
---@return string
function M.name(folder)
  local name = folder:gsub("[/\\:%%]", function(char)
    return ("%%%02X"):format(char:byte())
  end)
  return #name <= 200 and name or vim.fn.sha256(folder)
end

--- Makes a folder, and those above it, as far as that can be done. Another process may make one of them at the same
--- moment: there mkdir() ends.
---@param folder string
---@param mode string? octal
function M.folder(folder, mode)
  for _ = 1, 3 do
    if pcall(vim.fn.mkdir, folder, "p", tonumber(mode or "755", 8)) then
      return
    end
  end
end

--- Opens a regular file. Who calls it closes it.
---@param path string
---@param how "r"|"a"
---@return integer? fd nil for anything else
---@return table? stat
function M.open(path, how)
  local fd = uv.fs_open(path, flags[how], 384) -- 0600
  if not fd then
    return nil
  end
  local stat = uv.fs_fstat(fd)
  if stat and stat.type == "file" then
    return fd, stat
  end
  uv.fs_close(fd)
  complain(path, "not a regular file")
end

--- Returns the text of a regular file, nil if there is none, or it is larger than it may be.
---@param path string
---@param limit integer? bytes
---@return string?
---@return table? stat
function M.read(path, limit)
  local fd, stat = M.open(path, "r")
  if not fd or not stat then
    return nil
  end
  limit = limit or most
  local text = stat.size <= limit and uv.fs_read(fd, limit, 0) or nil
  uv.fs_close(fd)
  if not text then
    complain(path, ("larger than %d KiB"):format(limit / 1024))
  end
  return text, stat
end

--- Returns the first bytes of a regular file.
---@param path string
---@param bytes integer
---@return string?
function M.head(path, bytes)
  local fd = M.open(path, "r")
  local text = fd and uv.fs_read(fd, bytes, 0)
  if fd then
    uv.fs_close(fd)
  end
  return text or nil
end

--- Returns the value of a JSON file, nil if it has none.
---@param path string
---@return any
function M.json(path)
  local text = M.read(path)
  local ok, value = pcall(vim.json.decode, text or "", { luanil = { object = true, array = true } })
  return ok and value or nil
end

--- Appends lines to a file that only the user can read, which is made if need be. They begin a new line also where the
--- disk was full, or a Neovim killed, within the last one.
---@param path string
---@param text string
---@return boolean written
function M.append(path, text)
  local fd, stat = M.open(path, "a")
  if not fd or not stat then
    return false
  end
  if text ~= "" and stat.size > 0 and uv.fs_read(fd, 1, stat.size - 1) ~= "\n" then
    text = "\n" .. text
  end
  local written = uv.fs_write(fd, text)
  return uv.fs_close(fd) == true and written == #text
end

return M
