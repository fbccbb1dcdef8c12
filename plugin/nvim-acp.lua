-- The commands and a load guard; everything else is loaded when a command is first used.
if vim.g["loaded_nvim-acp"] then
  return
end
vim.g["loaded_nvim-acp"] = 1 -- the name that lazy.nvim derives from that of this file, to load it anew

local function define(name, opts)
  if vim.fn.exists(":" .. name) == 2 then
    vim.g.nvim_acp_clashes = vim.list_extend(vim.g.nvim_acp_clashes or {}, { name })
    return
  end
  vim.g.nvim_acp_commands = vim.list_extend(vim.g.nvim_acp_commands or {}, { name })
  if opts.nargs ~= 0 then
    opts.complete = function(lead, line)
      return require("nvim-acp.commands").complete(name, lead, line)
    end
  end
  vim.api.nvim_create_user_command(name, function(args)
    require("nvim-acp.commands").run(name, args)
  end, opts)
end

for _, name in ipairs({
  "AcpChat",
  "AcpNew",
  "AcpPermit",
  "AcpRestart",
  "AcpLogin",
  "AcpSkills",
  "AcpLog",
  "AcpAgent",
  "AcpMode",
  "AcpModel",
  "AcpConfig",
  "AcpConflict",
}) do
  define(name, { nargs = "*" })
end
for _, name in ipairs({
  "AcpToggle",
  "AcpStop",
  "AcpClose",
  "AcpLogout",
  "AcpTrust",
  "AcpBuild",
  "AcpTerminals",
  "AcpFollow",
  "AcpQueue",
  "AcpRules",
  "AcpUndo",
}) do
  define(name, { nargs = 0 })
end
define("AcpNote", { nargs = "*", range = true, bang = true })
define("AcpNotes", { nargs = "*" })
define("AcpReview", { nargs = "?" })
define("AcpKeep", { nargs = "?", range = true })
define("AcpRevert", { nargs = "*", range = true, bang = true })
define("AcpSend", { nargs = "*", range = true })
define("AcpAdd", { nargs = "?", range = true })
define("AcpExport", { nargs = "?", bang = true })
define("AcpSessions", { nargs = "*", bang = true })

vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = vim.api.nvim_create_augroup("nvim-acp.restore", {}),
  callback = function()
    require("nvim-acp.chat").sweep()
  end,
})

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
  skills = "AcpSkills",
  follow = "AcpFollow",
  review = "AcpReview",
  note = "AcpNote",
  notes = "AcpNotes",
  keep = "AcpKeep",
  revert = "AcpRevert",
  undo = "AcpUndo",
}) do
  vim.keymap.set("n", "<Plug>(acp-" .. plug .. ")", "<Cmd>" .. command .. "<CR>")
end
vim.keymap.set("x", "<Plug>(acp-send)", ":AcpSend<CR>", { silent = true })
vim.keymap.set("x", "<Plug>(acp-add)", ":AcpAdd<CR>", { silent = true })
vim.keymap.set("x", "<Plug>(acp-note)", ":AcpNote<CR>", { silent = true })
vim.keymap.set("x", "<Plug>(acp-keep)", ":AcpKeep<CR>", { silent = true })
vim.keymap.set("x", "<Plug>(acp-revert)", ":AcpRevert<CR>", { silent = true })
vim.keymap.set("n", "<Plug>(acp-next-hunk)", function()
  require("nvim-acp.review").go(true)
end)
vim.keymap.set("n", "<Plug>(acp-prev-hunk)", function()
  require("nvim-acp.review").go(false)
end)
vim.keymap.set("n", "<Plug>(acp-add-diagnostics)", "<Cmd>.AcpAdd diagnostics<CR>")
for _, what in ipairs({ "function", "buffer", "quickfix", "messages", "diff", "clipboard" }) do
  vim.keymap.set("n", "<Plug>(acp-add-" .. what .. ")", "<Cmd>AcpAdd " .. what .. "<CR>")
end
