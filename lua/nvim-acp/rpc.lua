--- The host program: found, started at the first verb, spoken to by notifications only.
local M = {}

--- Raised whenever a verb or a function called by the host changes; the host has the same number.
M.interface = 4

---@type integer? channel of the running host
local channel
local stderr = {}
local count = 0
local mark = "" -- of the processes of the running host

---@return string root folder of the plugin
function M.root()
  return vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
end

--- The host program: vim.g.nvim_acp_bin, else bin/nvim-acp of the plugin, else nvim-acp on PATH.
---@return string? path
function M.bin()
  local candidates = { vim.g.nvim_acp_bin or "", M.root() .. "/bin/nvim-acp", "nvim-acp" }
  for _, path in ipairs(candidates) do
    if path ~= "" and vim.fn.executable(path) == 1 then
      return vim.fn.exepath(path)
    end
  end
end

--- A table that goes to the host as a map even when it is empty.
---@param t table?
---@return table
function M.dict(t)
  return (t == nil or next(t) == nil) and vim.empty_dict() or t
end

local function hello()
  local config = require("nvim-acp.config").options
  return {
    interface = M.interface,
    state_dir = vim.fn.stdpath("state") .. "/nvim-acp",
    fs = config.fs,
    terminal = vim.tbl_extend("force", config.terminal, { env = M.dict(config.terminal.env) }),
    chat = { fold_thoughts = config.chat.fold_thoughts, fold_calls = config.chat.fold_calls },
    rules = vim.tbl_map(M.dict, config.rules),
    record = config.record,
    skills = M.dict(config.skills),
    start = M.dict(config.start),
    log = vim.tbl_extend("force", config.log, { path = require("nvim-acp.logfile").path() }),
    icons = require("nvim-acp.look").icons(),
  }
end

-- Ends what a host that was killed has left, if its guard was killed too: a guard whose input has ended begins at once.
local function end_processes()
  local bin = M.bin()
  if bin then
    local opts = { env = { NVIM_ACP_GUARDED = mark }, detach = true }
    pcall(vim.system, { bin, "guard" }, opts) -- the program may have been removed
  end
end

local function exited(job, code)
  if job ~= channel then
    return
  end
  channel = nil
  if code ~= 0 then
    end_processes()
  end
  local tail = vim.trim(table.concat(stderr, "\n"))
  require("nvim-acp.state").host_gone(code, tail)
end

---@return integer? channel, string? problem
function M.ensure()
  if channel then
    return channel
  end
  local bin = M.bin()
  if not bin then
    return nil, "the program nvim-acp is not built: run :AcpBuild (needs Go), or put nvim-acp on your PATH"
  end
  stderr = {}
  require("nvim-acp.attention") -- knows from here on whether Neovim has the focus
  mark = vim.text.hexencode(vim.uv.random(16))
  local job = vim.fn.jobstart({ bin }, {
    rpc = true,
    env = { NVIM_ACP_MARK = mark },
    on_stderr = function(_, data)
      vim.list_extend(stderr, data)
      if #stderr > 200 then
        stderr = vim.list_slice(stderr, #stderr - 100)
      end
    end,
    on_exit = exited,
  })
  if job <= 0 then
    return nil, "the program nvim-acp does not start: " .. bin
  end
  channel = job
  vim.rpcnotify(channel, "hello", hello())
  return channel
end

---@return boolean
function M.running()
  return channel ~= nil
end

--- Sends a verb to the host, starting it if needed. Never waits.
---@param verb string
---@param args table
---@return integer? number of this verb, which the host's answers name as seen; nil if the host cannot run
function M.notify(verb, args)
  local chan, problem = M.ensure()
  if not chan then
    require("nvim-acp.message").error(problem --[[@as string]])
    return nil
  end
  count = count + 1
  args.n = count
  vim.rpcnotify(chan, verb, args)
  return count
end

--- Asks the host for what it has in memory; the editor waits for it.
---@param question string
---@param args table
---@return any[] answer empty if the host does not run
function M.ask(question, args)
  if not channel then
    return {}
  end
  local ok, answer = pcall(vim.rpcrequest, channel, question, args)
  return ok and type(answer) == "table" and answer or {}
end

return M
