-- Notes which lines of the plugin's Lua run in a Neovim, and prints those that ran in none: see scripts/coverage.
--   nvim --cmd 'luafile scripts/coverage.lua'      notes them in a file in $NVIM_ACP_LUA_COVERAGE when Neovim ends
--   nvim -l scripts/coverage.lua ROOT FOLDER …     prints those of ROOT/lua that no file in the folders has

local inside = "lua/nvim-acp/"

-- lines_of adds the lines of a function, and of those within it, that have code.
local function lines_of(proto, lines)
  local util = require("jit.util")
  local info = util.funcinfo(proto)
  for pc = 1, info.bytecodes - 1 do
    lines[util.funcinfo(proto, pc).currentline] = true
  end
  for n = 1, info.gcconsts do
    local constant = util.funck(proto, -n)
    if type(constant) == "proto" then
      lines_of(constant, lines)
    end
  end
  return lines
end

-- only_ends reports whether a line closes something; the code on it is that of what it closes.
local function only_ends(text)
  return text:match("^%s*end[,%)]*$") or text:match("^%s*[%)}]+,?$") or text:match("^%s*else$")
end

local function report(root, folders)
  local ran = {}
  for _, folder in ipairs(folders) do
    for name in vim.fs.dir(folder) do
      for line in io.lines(folder .. "/" .. name) do
        ran[line] = true
      end
    end
  end

  local code, missing = 0, 0
  for _, path in ipairs(vim.fn.globpath(root .. "/" .. inside, "**/*.lua", true, true)) do
    local name, n = path:sub(#root + 2), 0
    local has = lines_of(assert(loadfile(path)), {})
    for text in io.lines(path) do
      n = n + 1
      if has[n] and not only_ends(text) then
        code = code + 1
        if not ran[name .. ":" .. n] then
          missing = missing + 1
          print(("%s:%d: %s"):format(name, n, text))
        end
      end
    end
  end
  print(("%d of %d lines of Lua ran in no test"):format(missing, code))
end

local function note_all(folder)
  jit.off() -- compiled code has no hooks
  local names, seen = {}, {}
  debug.sethook(function(_, line)
    local source = debug.getinfo(2, "S").source
    local lines = names[source]
    if lines == nil then
      local at = source:find(inside, 1, true)
      lines = at and source:sub(1, 1) == "@" and {}
      names[source] = lines
      if lines then
        seen[source:sub(at)] = lines
      end
    end
    if lines then
      lines[line] = true
    end
  end, "l")

  local uv = vim.uv
  local function note()
    local file = assert(io.open(("%s/%d.%s"):format(folder, uv.os_getpid(), uv.hrtime()), "w"))
    for name, lines in pairs(seen) do
      for line in pairs(lines) do
        file:write(("%s:%d\n"):format(name, line))
      end
    end
    file:close()
  end
  vim.api.nvim_create_autocmd("VimLeave", { callback = note })
end

if arg and arg[1] then
  report(arg[1], { unpack(arg, 2) })
elseif vim.env.NVIM_ACP_LUA_COVERAGE then
  note_all(vim.env.NVIM_ACP_LUA_COVERAGE)
end
