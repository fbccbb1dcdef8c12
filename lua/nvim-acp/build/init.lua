--- Gets the program: the one of the plugin's release where there is one, else it is built with Go.
local M = {}

local message = require("nvim-acp.ui.message")

local busy = false

-- What to do where nothing here can get the program: of a checkout that is no release's, and of one that is.
local advice = "install Go and run :AcpBuild again, use a release of the plugin, or put nvim-acp on your $PATH"
local retry = "install Go, run :AcpBuild again later, or put nvim-acp on your $PATH"

-- Runs a command and waits for it, in a coroutine without holding Neovim.
local function runner(wait)
  local run = require("nvim-acp.ui.run")
  return wait and run.wait
    or function(cmd, cwd)
      local task = coroutine.running()
      run.start(cmd, cwd, function(out)
        vim.schedule(function()
          assert(coroutine.resume(task, out))
        end)
      end)
      return coroutine.yield()
    end
end

-- Returns the last lines of what a command has said, in one.
local function tail(out)
  local lines = vim.split(vim.trim(out.stderr), "\n")
  return table.concat(vim.list_slice(lines, math.max(#lines - 2, 1)), "; ")
end

-- Builds the program with Go.
local function compile(root, folder, run)
  local version = vim.trim(run({ "git", "describe", "--tags", "--always", "--dirty" }, root).stdout)
  local flags = "-X main.version=" .. (version ~= "" and version or "unknown")
  local path = folder .. "/nvim-acp"
  local prepare = { "go", "generate", "./host/highlight/lexers" }
  local build = { "go", "build", "-trimpath", "-tags", "lexers", "-buildvcs=false", "-ldflags", flags }
  vim.list_extend(build, { "-o", path, "./cmd/nvim-acp" })
  for _, cmd in ipairs({ prepare, build }) do
    local out = run(cmd, root)
    if out.code ~= 0 then
      return nil, ("go %s: %s"):format(cmd[2], tail(out))
    end
  end
  return path
end

-- Gets the program into an empty folder.
local function get(root, folder, run, say)
  local release = require("nvim-acp.build.release")
  local found, problem = release.of(root)
  local path
  if found then
    say("downloading " .. found.archive)
    path, problem = release.fetch(found, folder, run)
  end
  if not path and vim.fn.executable("go") == 1 then
    say((found and problem .. "; " or "") .. "building with Go")
    path, problem = compile(root, folder, run)
    if not path then
      return nil, problem
    end
  elseif not path then
    return nil, ("%s: %s"):format(problem, found and retry or advice)
  end

  local out, interface = run({ path, "version" }), require("nvim-acp.rpc").interface
  if out.code ~= 0 then
    return nil, "the program does not run: " .. tail(out)
  elseif tonumber(out.stdout:match("interface (%d+)")) ~= interface then
    return nil, ("the program is %s, and the plugin has interface %d"):format(vim.trim(out.stdout), interface)
  end
  return path
end

-- Puts the program into the plugin's folder. One that runs from there goes on.
local function install(run, say)
  local root = require("nvim-acp.config.program").root()
  local bin = root .. "/bin"
  pcall(vim.fn.mkdir, bin, "p")
  for name in vim.fs.dir(bin) do -- of builds that ended with their Neovim
    local old = name:find("^%.new%-") and vim.uv.fs_stat(bin .. "/" .. name)
    if old and os.time() - old.mtime.sec > 3600 then
      vim.fn.delete(bin .. "/" .. name, "rf")
    end
  end
  local folder, denied = vim.uv.fs_mkdtemp(bin .. "/.new-XXXXXX")
  if not folder then
    return nil, ("cannot write to %s: %s; put nvim-acp on your $PATH"):format(bin, denied)
  end
  local ok, path, problem = pcall(get, root, folder, run, say)
  if not ok then
    path, problem = nil, path
  end
  if path then
    ok, problem = vim.uv.fs_rename(path, bin .. "/nvim-acp")
    path = ok and bin .. "/nvim-acp"
  end
  vim.fn.delete(folder, "rf")
  return path, problem
end

-- Reports the outcome; returns a problem.
local function finish(path, problem, say, done)
  busy = false
  if path then
    local running = require("nvim-acp.rpc").running()
    say("the program is installed" .. (running and "; restart Neovim to use it" or ""))
    if done then
      done()
    end
  end
  return not path and problem or nil
end

--- Gets or builds the program.
---@param opts { wait: boolean, done: fun()? } wait: return when it is there, and raise an error if it cannot be had
function M.run(opts)
  if busy then
    return message.warn("already building the program")
  end
  busy = true
  if opts.wait then
    local function say(text)
      message.now(text)
    end
    local path, problem = install(runner(true), say)
    problem = finish(path, problem, say, opts.done)
    if problem then
      error("nvim-acp: " .. problem, 0)
    end
    return
  end
  coroutine.wrap(function()
    local path, problem = install(runner(false), message.info)
    problem = finish(path, problem, message.info, opts.done)
    if problem then
      message.error(problem, vim.fn.executable("go") == 0 and { "Go is missing: install it, then :AcpBuild" } or nil)
    end
  end)()
end

--- Reports whether the program can be had here.
---@return boolean
function M.possible()
  local root = require("nvim-acp.config.program").root()
  return vim.fn.executable("go") == 1 or require("nvim-acp.build.release").of(root) ~= nil
end

return M
