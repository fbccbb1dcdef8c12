--- Logging in: the choice of a method, and the terminal window for those that need one.
local M = {}

---@class acp.LoginMethod
---@field id string
---@field name string
---@field description string
---@field kind "agent"|"terminal"|"user"|"key"
---@field argv string[]
---@field env table<string, string>
---@field hide string[] variables that the command must not get
---@field cwd string
---@field shown string the whole command, for the user to read

-- The float of the command, and its buffer.
local function window(name)
  local middle = require("nvim-acp.ui.center")
  local origin = require("nvim-acp.ui.origin")
  local from, buf = origin.here(), vim.api.nvim_create_buf(false, true)
  local win = middle.open(buf, {
    enter = true,
    title = (" %s "):format(require("nvim-acp.ui.text").line(name, middle.width() - 4)),
    footer = " closing this window ends the login ",
  })
  origin.note(win, from)
  require("nvim-acp.ui.bufname").float(buf, "Log in")
  require("nvim-acp.ui.keys").map(buf)
  return buf, win
end

local function start(argv, opts)
  if vim.fn.has("nvim-0.11") == 1 then
    opts.term = true
    return vim.fn.jobstart(argv, opts)
  end
  return vim.fn.termopen(argv, opts) -- 0.10
end

---@param s acp.Session
---@param method acp.LoginMethod
local function run(s, method)
  local buf, win = window(method.name)
  local argv = { "env" }
  for _, name in ipairs(method.hide) do -- Neovim sets some of them for every terminal
    vim.list_extend(argv, { "-u", name })
  end
  local function ended(status)
    if vim.api.nvim_win_is_valid(win) then
      if status == 0 then
        require("nvim-acp.ui.origin").close(win)
      else
        vim.api.nvim_win_set_config(win, { footer = (" failed (status %d): :q closes this window "):format(status) })
      end
    end
    local state, rpc = require("nvim-acp.state"), require("nvim-acp.rpc")
    if state.sessions[s.id] == s then
      state.notify(s, "login_ended", { status = status })
    elseif rpc.running() then -- it counts for the agent
      rpc.notify("login_ended", { session = s.id, status = status })
    end
  end
  local ok, job = pcall(start, vim.list_extend(argv, method.argv), {
    cwd = method.cwd,
    env = method.env,
    on_exit = function(_, status)
      vim.schedule(function()
        ended(status)
      end)
    end,
  })
  if not ok or job <= 0 then
    local why = ok and method.argv[1] or tostring(job)
    require("nvim-acp.ui.message").error("the login command does not start: " .. why)
    return require("nvim-acp.ui.origin").close(win)
  end
  vim.api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = function()
      vim.fn.jobstop(job)
      vim.schedule(function()
        require("nvim-acp.ui.deferred").delete(buf)
      end)
    end,
  })
  vim.cmd.startinsert()
end

---@param s acp.Session
---@param method acp.LoginMethod
local function take(s, method)
  if method.kind == "agent" then
    return require("nvim-acp.state").notify(s, "login", { method = method.id })
  elseif method.kind == "key" then
    return require("nvim-acp.sessions.key").take(s, method)
  elseif method.kind == "user" then
    local how = method.description ~= "" and method.description or "set the variable that it needs"
    local text = ("%s: %s, in `env` of its configuration; then :AcpRestart"):format(method.name, how)
    return require("nvim-acp.ui.message").info(text)
  end
  local lines = vim.split(method.shown, "\n")
  vim.list_extend(lines, { "", "in " .. require("nvim-acp.ui.text").visible(vim.fn.fnamemodify(method.cwd, ":~")) })
  require("nvim-acp.ui.center").ask(lines, "This command logs in, in a terminal window", {
    {
      "r",
      "run it",
      function()
        run(s, method)
      end,
      whole = true,
    },
    { "q", "not now" },
  }, 2)
end

local begins = { login = true, starting = true, loading = true }

--- Returns the session that a login is for: the current one, unless only one at lines of a buffer waits for it.
---@return acp.Session?
function M.target()
  local state = require("nvim-acp.state")
  local current = state.current()
  if current and begins[current.state] then
    return current
  end
  for i = #state.order, 1, -1 do
    local s = state.sessions[state.order[i]]
    if s.state == "login" and state.hidden(s) then
      return s
    end
  end
  return current
end

--- Lets the user choose among the methods, unless one is chosen already.
---@param session string
---@param methods acp.LoginMethod[]
---@param chosen boolean
function M.choose(session, methods, chosen)
  local s = require("nvim-acp.state").sessions[session]
  if not s then
    return
  elseif chosen then
    return take(s, methods[1])
  end
  require("nvim-acp.ui.choose").from(methods, {
    prompt = "Log in",
    kind = "acp-login",
    format_item = function(method)
      return method.name .. (method.description ~= "" and "  " .. method.description or "")
    end,
  }, function(method)
    if method then
      take(s, method)
    end
  end)
end

return M
