--- The user commands.
local M = {}

require("nvim-acp.bytecode").enable()

local function acp()
  return require("nvim-acp")
end

local function current(s)
  s = s or require("nvim-acp.state").current()
  if not s then
    require("nvim-acp.ui.message").warn("there is no chat yet; :AcpChat opens one")
  end
  return s
end

-- Reports whether a command was called by Lua or Vim script of others: a plugin manager waits for its end.
local function called()
  if #vim.api.nvim_list_uis() == 0 or vim.fn.expand("<stack>"):find("function", 1, true) then
    return true
  end
  local own, level = debug.getinfo(1, "S").source:gsub("lua/nvim%-acp/commands/init%.lua$", ""), 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then
      return false
    elseif info.what ~= "C" and not vim.startswith(info.source, own) then
      return true
    end
    level = level + 1
  end
end

local function build()
  require("nvim-acp.build").run({
    wait = called(),
    done = function()
      for _, s in pairs(require("nvim-acp.state").sessions) do
        require("nvim-acp.chat").refresh(s)
      end
    end,
  })
end

-- Returns the scope and the range of a decision.
local function decision(args)
  local ranged = args.range > 0
  local word, reason = args.args:match("^(%l+)%s*(.*)$")
  return {
    scope = word,
    first = ranged and not word and args.line1 or nil,
    last = ranged and not word and args.line2 or nil,
    force = args.bang,
    reason = reason,
  }
end

-- Returns the options of an edit, or of a question, of a command's lines.
local function at_lines(args)
  return { range = args.range > 0 and { args.line1, args.line2 } or nil, instruction = args.args, dot = true }
end

local usage_by = { "agent", "day", "model", "project" }

local run = {
  AcpChat = function(args)
    acp().chat({ agent = args.fargs[1] })
  end,
  AcpToggle = function()
    local s, chat = require("nvim-acp.state").current(), require("nvim-acp.chat")
    if s and chat.visible(s) then
      chat.hide(s)
    else
      M.run("AcpChat", { fargs = {} })
    end
  end,
  AcpNew = function(args)
    acp().chat({ agent = args.fargs[1], new = true })
  end,
  AcpSend = function(args)
    require("nvim-acp.commands.send").send(args)
  end,
  AcpAdd = function(args)
    require("nvim-acp.commands.send").add(args)
  end,
  AcpStop = function()
    local s = current()
    if not s then
      return
    end
    local say, waits = require("nvim-acp.ui.message").info, require("nvim-acp.prompt").waits(s)
    if waits and vim.list_contains({ "idle", "login", "starting", "loading" }, s.state) then
      say("queued prompts are held: :AcpQueue sends them")
    elseif s.state == "idle" and (s.children or 0) == 0 and (s.apart or 0) == 0 then
      say("nothing is running")
    end
    acp().cancel({ session = s.id })
  end,
  AcpClose = function()
    local s = current()
    if s then
      acp().close({ session = s.id })
    end
  end,
  AcpPermit = function(args)
    local options = vim.iter(require("nvim-acp.permission.pending").list()):any(function(item)
      return not item.p.form
    end)
    if args.args ~= "" and options then
      acp().permit(args.args)
    else
      require("nvim-acp.permission").focus()
    end
  end,
  AcpRestart = function()
    local s = current()
    if s then
      require("nvim-acp.state.agent").restart(s)
    end
  end,
  AcpTrust = function()
    local s = require("nvim-acp.state").current()
    require("nvim-acp.sessions.trust").review(s and s.cwd or vim.fn.getcwd())
  end,
  AcpSkills = function(args)
    if args.args ~= "" and args.args ~= "show" then
      return require("nvim-acp.ui.message").unknown("argument", args.args, { "show" })
    end
    require("nvim-acp.sessions.skills").ask(args.args == "show" and "show" or "list")
  end,
  AcpLogin = function(args)
    local s = current(require("nvim-acp.sessions.login").target())
    if s then
      require("nvim-acp.state").notify(s, "login", { method = args.args })
    end
  end,
  AcpLogout = function()
    local s = current()
    if s then
      require("nvim-acp.state").notify(s, "logout")
    end
  end,
  AcpLog = function(args)
    if args.fargs[1] == "save" then
      local name = vim.trim(args.args:match("^%s*save(.*)"))
      local path = require("nvim-acp.commands.file").path(name ~= "" and name or "acp-log.jsonl")
      if path then
        require("nvim-acp.sessions.log").save(path)
      end
    else
      require("nvim-acp.sessions.log").open(args.args)
    end
  end,
  AcpExport = function(args)
    local s = current()
    local path = s and args.args ~= "" and require("nvim-acp.commands.file").path(args.args) or ""
    if s and (path ~= "" or args.args == "") then
      require("nvim-acp.state").notify(s, "export", { path = path, force = args.bang })
    end
  end,
  AcpUsage = function(args)
    local by = args.args ~= "" and args.args or "day"
    if not vim.list_contains(usage_by, by) then
      return require("nvim-acp.ui.message").unknown("grouping", by, usage_by)
    end
    require("nvim-acp.rpc").notify("usage", { by = by })
  end,
  AcpAgent = function(args)
    require("nvim-acp.sessions.agents").run(args.fargs[1], args.fargs[2])
  end,
  AcpMode = function(args)
    local s = current()
    if s then
      require("nvim-acp.chat.options").category(s, "mode", args.args)
    end
  end,
  AcpModel = function(args)
    local s = current()
    if s then
      require("nvim-acp.chat.options").category(s, "model", args.args)
    end
  end,
  AcpConfig = function(args)
    local s = current()
    if s then
      require("nvim-acp.chat.options").config(s, args.fargs[1], args.fargs[2])
    end
  end,
  AcpRules = function()
    local s = current()
    if s then
      require("nvim-acp.state").notify(s, "rules")
    end
  end,
  AcpFollow = function()
    local s = current()
    if s then
      require("nvim-acp.chat.follow").toggle(s)
    end
  end,
  AcpEdit = function(args)
    if args.bang then
      return require("nvim-acp.edit.dropped").back()
    end
    require("nvim-acp.edit").run(at_lines(args), "edit")
  end,
  AcpAsk = function(args)
    require("nvim-acp.edit").run(at_lines(args), "ask")
  end,
  AcpQueue = function()
    local s = current()
    if s then
      require("nvim-acp.prompt.queue").open(s)
    end
  end,
  AcpSessions = function(args)
    require("nvim-acp.sessions.pick").run(args.args, args.bang)
  end,
  AcpTerminals = function()
    require("nvim-acp.terminal.pick").run()
  end,
  AcpBuild = build,
  AcpInstall = function(args)
    require("nvim-acp.install").run(args.fargs[1], args.bang)
  end,
  AcpNote = function(args)
    require("nvim-acp.review.notes").run(args.line1, args.line2, args.args, args.bang)
  end,
  AcpNotes = function(args)
    local word, rest = args.args:match("^(%S*)%s*(.-)$")
    if word == "send" then
      require("nvim-acp.review.note_list").send(rest, require("nvim-acp.sessions.start").current)
    elseif args.args == "clear" then
      require("nvim-acp.review.note_list").clear()
    elseif args.args == "" then
      require("nvim-acp.review.note_list").quickfix()
    else
      require("nvim-acp.ui.message").unknown("argument", args.args, { "send", "clear" })
    end
  end,
  AcpAnnotations = function(args)
    require("nvim-acp.places.annotations").run(args.args, args.line1, args.line2)
  end,
  AcpReview = function(args)
    require("nvim-acp.review.list").open(args.args)
  end,
  AcpHunk = function(args)
    local opts = { count = args.range == 1 and math.max(args.line2, 1) or 1 }
    if args.range == 2 then
      opts = { first = args.line1, last = args.line2 }
    end
    require("nvim-acp.review.hunk").run(args.args ~= "" and args.args or "next", opts)
  end,
  AcpKeep = function(args)
    require("nvim-acp.review").decide("keep", decision(args))
  end,
  AcpRevert = function(args)
    if args.args == "undo" or args.args == "redo" then
      return require("nvim-acp.review").undo(args.args == "redo")
    end
    require("nvim-acp.review").decide("revert", decision(args))
  end,
  AcpUndo = function()
    acp().rewind({ files = true })
  end,
  AcpRewind = function()
    acp().rewind()
  end,
  AcpDetach = function()
    require("nvim-acp.attach").detach()
  end,
  AcpAttach = function(args)
    local pid = tonumber(args.args)
    if args.args ~= "" and not pid then
      return require("nvim-acp.ui.message").unknown("host", args.args, { "a process id, or nothing" })
    end
    require("nvim-acp.attach").run(pid)
  end,
  AcpConflict = function(args)
    require("nvim-acp.files.conflict").run(args.args)
  end,
}

-- Those that go on with a session, or begin one.
local opens = { "AcpChat", "AcpNew", "AcpSend", "AcpAdd", "AcpEdit", "AcpAsk", "AcpSessions", "AcpNotes" }

-- Those that do nothing but go to a window.
local goes = { "AcpHunk", "AcpLog", "AcpReview" }

---@param name string
---@param args table of nvim_create_user_command
function M.run(name, args)
  if vim.list_contains(opens, name) and require("nvim-acp.rpc").parting() then
    return require("nvim-acp.attach.later").wait(function()
      M.run(name, args)
    end)
  end
  local state = package.loaded["nvim-acp.state"]
  if name == "AcpNew" or name == "AcpChat" and not (state and state.current()) then
    require("nvim-acp.rpc").ensure() -- the program starts meanwhile
  end
  require("nvim-acp.listeners")
  require("nvim-acp.ui.deferred")[vim.list_contains(goes, name) and "outside" or "unlocked"](function()
    run[name](args)
  end)
end

return M
