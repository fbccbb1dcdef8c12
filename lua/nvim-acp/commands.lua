--- The user commands and their completion.
local M = {}

local function acp()
  return require("nvim-acp")
end

local function current()
  local s = require("nvim-acp.state").current()
  if not s then
    require("nvim-acp.message").warn("there is no chat yet; :AcpChat opens one")
  end
  return s
end

local function send(args)
  local text = args.args
  if args.range == 0 then
    acp().prompt(text)
    return
  end
  local context = { file = vim.api.nvim_buf_get_name(0), range = { args.line1, args.line2 } }
  if context.file == "" then
    local lines = vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false)
    context = { text = table.concat(lines, "\n"), name = "selection" }
  else
    context.name = ("%s:%d-%d"):format(vim.fn.fnamemodify(context.file, ":."), args.line1, args.line2)
  end
  if text ~= "" then
    acp().prompt(text, { context = { context } })
  else
    local id = acp().chat()
    if id then
      acp().add(context, { session = id })
    end
  end
end

-- Options of a category, or the one with an id, of the current session.
local function options_of(category)
  local s = require("nvim-acp.state").current()
  return s and vim.tbl_filter(function(o)
    return category == nil or o.category == category
  end, s.options) or {}
end

local function set_choice(option)
  vim.ui.select(option.choices, {
    prompt = option.name,
    format_item = function(c)
      return (c.value == option.value and "● " or "  ") .. (c.group and c.group .. ": " or "") .. c.name
    end,
  }, function(choice)
    if choice then
      acp().set(option.id, choice.value)
    end
  end)
end

local function set_category(category, value)
  local s = current()
  if not s then
    return
  end
  local option = options_of(category)[1]
  if not option then
    return require("nvim-acp.message").warn(("%s offers no %s to choose"):format(s.agent_title, category))
  elseif value ~= "" then
    return acp().set(option.id, value)
  end
  set_choice(option)
end

-- The option of the current session with an id.
local function option_of(id)
  return vim.tbl_filter(function(o)
    return o.id == id
  end, options_of())[1]
end

local function config(args)
  local s = current()
  if not s then
    return
  end
  local id, value = args.fargs[1], args.fargs[2]
  if id and value then
    local option = option_of(id)
    if option and option.type == "boolean" then
      if value ~= "on" and value ~= "off" then
        return require("nvim-acp.message").warn(("%s is on or off, not %s"):format(id, value))
      end
      return acp().set(id, value == "on")
    end
    return acp().set(id, value)
  end
  vim.ui.select(s.options, {
    prompt = "Options",
    format_item = function(o)
      return o.name .. ": " .. o.label
    end,
  }, function(option)
    if not option then
      return
    elseif option.type == "boolean" then
      acp().set(option.id, option.value ~= true)
    else
      set_choice(option)
    end
  end)
end

local function agent(args)
  local start = require("nvim-acp.start")
  if args.args ~= "" then
    start.remember(args.args)
    return acp().chat({ agent = args.args })
  end
  local names = vim.tbl_keys(start.agents())
  table.sort(names)
  vim.ui.select(names, { prompt = "Agent" }, function(name)
    if name then
      start.remember(name)
      acp().chat({ agent = name })
    end
  end)
end

local function build()
  local rpc = require("nvim-acp.rpc")
  local message = require("nvim-acp.message")
  message.info("building…")
  vim.system({ "go", "build", "-o", "bin/nvim-acp", "./cmd/nvim-acp" }, { cwd = rpc.root(), text = true }, function(out)
    if out.code == 0 then
      message.info("built; restart Neovim to use it")
    else
      message.error("build: " .. vim.trim(out.stderr or ""))
    end
  end)
end

local run = {
  AcpChat = function(args)
    acp().chat({ agent = args.fargs[1] })
  end,
  AcpNew = function(args)
    acp().chat({ agent = args.fargs[1], new = true })
  end,
  AcpSend = send,
  AcpStop = function()
    acp().cancel()
  end,
  AcpClose = function()
    acp().close()
  end,
  AcpPermit = function(args)
    if args.args ~= "" then
      acp().permit(args.args)
    else
      require("nvim-acp.permit").focus()
    end
  end,
  AcpRestart = function()
    local s = current()
    if s then
      require("nvim-acp.start").restart(s)
    end
  end,
  AcpLog = function(args)
    if args.fargs[1] == "save" then
      require("nvim-acp.rpc").notify("log_save", { path = vim.fn.fnamemodify(args.fargs[2] or "acp-log.jsonl", ":p") })
    else
      require("nvim-acp.rpc").notify("log", {})
    end
  end,
  AcpExport = function(args)
    local s = current()
    if s then
      local path = args.args ~= "" and vim.fn.fnamemodify(args.args, ":p") or ""
      require("nvim-acp.state").notify(s, "export", { path = path, force = args.bang })
    end
  end,
  AcpAgent = agent,
  AcpMode = function(args)
    set_category("mode", args.args)
  end,
  AcpModel = function(args)
    set_category("model", args.args)
  end,
  AcpConfig = config,
  AcpRules = function()
    local s = current()
    if s then
      require("nvim-acp.state").notify(s, "rules")
    end
  end,
  AcpFollow = function()
    local s = current()
    if s then
      require("nvim-acp.follow").toggle(s)
    end
  end,
  AcpQueue = function()
    local s = current()
    if s then
      require("nvim-acp.prompt").pick_queue(s)
    end
  end,
  AcpSessions = function(args)
    require("nvim-acp.sessions_pick").run(args.args, args.bang)
  end,
  AcpTerminals = function()
    require("nvim-acp.termwin").pick()
  end,
  AcpBuild = build,
  AcpConflict = function(args)
    require("nvim-acp.conflict").run(args.args)
  end,
}

---@param name string
---@param args table of nvim_create_user_command
function M.run(name, args)
  run[name](args)
end

---@param option table?
local function values(option)
  if option and option.type == "boolean" then
    return { "off", "on" }
  end
  return option and vim.tbl_map(function(c)
    return c.value
  end, option.choices or {}) or {}
end

local words = {
  AcpChat = function()
    return vim.tbl_keys(require("nvim-acp.start").agents())
  end,
  AcpLog = function()
    return { "save" }
  end,
  AcpSessions = function()
    return { "continue", "delete", "fork", "read", "rename" }
  end,
  AcpConflict = function()
    return { "both", "next", "ours", "theirs" }
  end,
  AcpPermit = function()
    return { "allow_once", "allow_always", "reject_once", "reject_always" }
  end,
  AcpMode = function()
    return values(options_of("mode")[1])
  end,
  AcpModel = function()
    return values(options_of("model")[1])
  end,
  AcpConfig = function(line)
    local id = line:match("AcpConfig!?%s+(%S+)%s")
    if id then
      return values(option_of(id))
    end
    return vim.tbl_map(function(o)
      return o.id
    end, options_of())
  end,
}
words.AcpNew, words.AcpAgent = words.AcpChat, words.AcpChat

---@param name string
---@param lead string
---@param line string
---@return string[]
function M.complete(name, lead, line)
  if name == "AcpExport" or (name == "AcpLog" and line:match("save%s")) then
    return vim.fn.getcompletion(lead, "file")
  end
  local list = words[name] and words[name](line) or {}
  table.sort(list)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, list)
end

return M
