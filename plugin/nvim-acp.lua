-- The commands and a load guard; everything else is loaded when a command is first used.
if vim.g["loaded_nvim-acp"] then
  return
end
vim.g["loaded_nvim-acp"] = 1 -- the name that lazy.nvim derives from that of this file, to load it anew

local defined, exists = {}, vim.fn.exists

local function define(name, opts)
  if exists(":" .. name) == 2 then
    vim.g.nvim_acp_clashes = vim.list_extend(vim.g.nvim_acp_clashes or {}, { name })
    return
  end
  defined[name] = opts.desc
  if opts.nargs ~= 0 then
    opts.complete = function(lead, line)
      return require("nvim-acp.commands.complete").words(name, lead, line)
    end
  end
  vim.api.nvim_create_user_command(name, function(args)
    require("nvim-acp.commands").run(name, args)
  end, opts)
end

for name, desc in pairs({
  AcpChat = "Open or focus a chat with an agent",
  AcpNew = "Open a chat in a new session",
  AcpPermit = "Answer a permission request",
  AcpRestart = "Restart the agent, keep its sessions",
  AcpLogin = "Log in to the agent",
  AcpSkills = "List the skills for agents",
  AcpLog = "Show the messages of an agent",
  AcpAgent = "List agents, choose one, change its settings",
  AcpMode = "Set the agent's mode",
  AcpModel = "Set the agent's model",
  AcpConfig = "Set an option of the agent",
  AcpConflict = "Decide conflicts with an agent's edits",
}) do
  define(name, { nargs = "*", desc = desc })
end
for name, desc in pairs({
  AcpToggle = "Open or close the chat",
  AcpStop = "Stop the turn",
  AcpClose = "Close the session",
  AcpLogout = "Log out of the agent",
  AcpTrust = "Review what the project wants to use",
  AcpBuild = "Get the program of nvim-acp",
  AcpTerminals = "List the commands that agents have run",
  AcpFollow = "Follow the agent's place in the files",
  AcpQueue = "List the queued prompts",
  AcpRules = "List the rules for permissions",
  AcpUndo = "Take back what turns have changed",
  AcpRewind = "Go back to before a turn: files, conversation or both",
}) do
  define(name, { nargs = 0, desc = desc })
end
define("AcpDetach", { nargs = 0, desc = "Let sessions go on without Neovim" })
define("AcpAttach", { nargs = "?", desc = "Go on with sessions that were detached" })
define("AcpNote", { nargs = "*", range = true, bang = true, desc = "Note lines for the agent" })
define("AcpNotes", { nargs = "*", desc = "List or send the notes" })
define("AcpAnnotations", { nargs = "?", range = true, desc = "List or dismiss annotations of agents" })
define("AcpReview", { nargs = "?", desc = "List the files with changes to review" })
define("AcpHunk", { nargs = "?", range = true, desc = "Go to changes of agents, keep or revert the one here" })
define("AcpKeep", { nargs = "?", range = true, desc = "Keep changes of agents" })
define("AcpRevert", { nargs = "*", range = true, bang = true, desc = "Revert changes of agents" })
define("AcpSend", { nargs = "*", range = true, desc = "Send a prompt, or lines as context" })
define("AcpAdd", { nargs = "?", range = true, desc = "Add context to the prompt" })
define("AcpEdit", { nargs = "*", range = true, bang = true, desc = "Have an agent change lines, here" })
define("AcpAsk", { nargs = "*", range = true, desc = "Ask an agent about lines, here" })
define("AcpExport", { nargs = "?", bang = true, desc = "Export the transcript as Markdown" })
define("AcpInstall", { nargs = "?", bang = true, desc = "Install an agent" })
define("AcpUsage", { nargs = "?", desc = "Show what turns have cost" })
define("AcpSessions", { nargs = "*", bang = true, desc = "List open and previous sessions" })
vim.g.nvim_acp_commands = defined

if exists("v:exitreason") == 1 then -- there is :restart
  vim.api.nvim_create_autocmd("UIEnter", {
    group = vim.api.nvim_create_augroup("nvim-acp.restarted", {}),
    once = true,
    callback = function()
      if vim.uv.fs_stat(vim.fn.stdpath("state") .. "/nvim-acp/restarted") then
        require("nvim-acp.attach.restart").greet()
      end
    end,
  })
end

vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = vim.api.nvim_create_augroup("nvim-acp.restore", {}),
  callback = vim.schedule_wrap(function() -- not while an autocommand's own window is open
    require("nvim-acp.chat").sweep()
  end),
})

local function map(mode, plug, to, desc)
  local opts = { noremap = true, silent = mode == "x", desc = "nvim-acp: " .. desc }
  if type(to) == "function" then
    opts.callback, to = to, ""
  end
  vim.api.nvim_set_keymap(mode, "<Plug>(acp-" .. plug .. ")", to, opts)
end

for plug, command in pairs({
  chat = "AcpChat",
  toggle = "AcpToggle",
  new = "AcpNew",
  send = "AcpSend",
  add = "AcpAdd",
  stop = "AcpStop",
  permit = "AcpPermit",
  sessions = "AcpSessions",
  login = "AcpLogin",
  install = "AcpInstall",
  skills = "AcpSkills",
  follow = "AcpFollow",
  review = "AcpReview",
  edit = "AcpEdit",
  ask = "AcpAsk",
  note = "AcpNote",
  notes = "AcpNotes",
  annotations = "AcpAnnotations",
  keep = "AcpKeep",
  revert = "AcpRevert",
  detach = "AcpDetach",
  attach = "AcpAttach",
  undo = "AcpUndo",
  rewind = "AcpRewind",
}) do
  map("n", plug, "<Cmd>" .. command .. "<CR>", ":" .. command)
end
for plug, command in pairs({
  send = "AcpSend",
  add = "AcpAdd",
  edit = "AcpEdit",
  ask = "AcpAsk",
  note = "AcpNote",
  keep = "AcpKeep",
  revert = "AcpRevert",
}) do
  map("x", plug, ":" .. command .. "<CR>", ":" .. command .. " on the selection")
end
for _, kind in ipairs({ "send", "edit", "ask", "add" }) do
  for _, mode in ipairs({ "n", "x" }) do
    vim.api.nvim_set_keymap(mode, "<Plug>(acp-" .. kind .. "-operator)", "", {
      callback = function()
        return require("nvim-acp.commands.operator").start(kind)
      end,
      expr = true,
      noremap = true,
      desc = "nvim-acp: " .. kind .. ", with a motion",
    })
  end
end
map("n", "next-hunk", function()
  require("nvim-acp.review").go(true, vim.v.count1)
end, "the next change to review")
map("n", "prev-hunk", function()
  require("nvim-acp.review").go(false, vim.v.count1)
end, "the previous change to review")
map("n", "dismiss", "<Cmd>AcpAnnotations dismiss<CR>", ":AcpAnnotations dismiss")
map("n", "add-diagnostics", "<Cmd>.AcpAdd diagnostics<CR>", ":AcpAdd diagnostics of the line")
for _, what in ipairs({ "function", "buffer", "quickfix", "messages", "diff", "clipboard" }) do
  map("n", "add-" .. what, "<Cmd>AcpAdd " .. what .. "<CR>", ":AcpAdd " .. what)
end
