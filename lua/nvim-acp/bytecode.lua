--- Keeps the plugin's modules compiled, in one file below stdpath("cache"), for a chat opens with ninety of them:
--- reading and compiling those takes 10 to 17 ms, their bytecode less than 2. A file that has changed is compiled
--- anew. What `vim.loader` does for all plugins takes 3 ms for the same, and is the user's to enable. They are
--- interpreted: nearly all they do is call Neovim, so traces of them cost more than they save.
local M = {}

local uv = vim.uv

---@class acp.Compiled
---@field path string
---@field stamp string of the file: its time and size
---@field code string

---@type table<string, acp.Compiled>
local compiled = {}
local root, file ---@type string, string
local loader ---@type function?
local timer ---@type uv.uv_timer_t?

local function stamp(path)
  local stat = uv.fs_stat(path)
  return stat and ("%d.%d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size)
end

local function read()
  local fd = uv.fs_open(file, uv.constants.O_RDONLY + (uv.constants.O_NONBLOCK or 0), 0)
  local stat = fd and uv.fs_fstat(fd)
  local text = stat and stat.type == "file" and uv.fs_read(fd, stat.size) or ""
  if fd then
    uv.fs_close(fd)
  end
  local ok, value = pcall(vim.mpack.decode, text)
  return ok and type(value) == "table" and value or {}
end

local function write()
  timer = nil
  require("nvim-acp.config.atomic").write(file, vim.mpack.encode(compiled))
end

-- Compiles a module and keeps the result. The file is written once nothing has been loaded for a while.
local function compile(name, path, at)
  local chunk = loadfile(path)
  if not chunk then
    return nil -- Neovim's own loader says why
  end
  compiled[name] = { path = path, stamp = at, code = string.dump(chunk) }
  if timer then
    timer:stop()
    timer:close()
  end
  timer = vim.defer_fn(function()
    pcall(write)
  end, 1000)
  return chunk
end

local function load(name)
  local known = compiled[name]
  local same = known and vim.startswith(known.path, root) and stamp(known.path) == known.stamp
  local chunk = same and loadstring(known.code)
  if chunk then
    return chunk
  end
  local base = root .. name:gsub("%.", "/")
  for _, path in ipairs({ base .. ".lua", base .. "/init.lua" }) do
    local at = stamp(path)
    if at then
      return compile(name, path, at)
    end
  end
end

local function find(name)
  local chunk = vim.startswith(name, "nvim-acp.") and load(name)
  if chunk then
    jit.off(chunk, true) -- and the functions in it
  end
  return chunk or nil
end

--- Loads the modules of the plugin from here on, those that are not loaded yet.
function M.enable()
  if loader or not jit then
    return
  end
  root = debug.getinfo(1, "S").source:match("^@(/.*/)nvim%-acp/bytecode%.lua$")
  if not root then -- loaded from a path that is not whole
    return
  end
  local name = "1 " .. jit.version .. root -- 1: of this file's form; other bytecode is refused as it is loaded
  file = ("%s/nvim-acp/%s.luac"):format(vim.fn.stdpath("cache"), (name:gsub("[/%%]", "%%")))
  compiled = read()
  loader = find
  table.insert(package.loaders, 2, find)
end

--- Loads modules as Neovim does from here on.
function M.disable()
  for i, other in ipairs(package.loaders) do
    if other == loader then
      table.remove(package.loaders, i)
      break
    end
  end
  if timer then
    timer:stop()
    timer:close()
  end
  loader, timer, compiled = nil, nil, {}
end

return M
