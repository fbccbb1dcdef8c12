--- Completion of the user commands' arguments.
local M = {}

local function options()
  return require("nvim-acp.chat.options"), require("nvim-acp.state").current()
end

local words = {
  AcpChat = function()
    return vim.tbl_keys(require("nvim-acp.config.agents").agents())
  end,
  AcpAgent = function(line)
    return line:match("AcpAgent%s+%S+%s") and { "settings" } or vim.tbl_keys(require("nvim-acp.config.agents").agents())
  end,
  AcpLog = function()
    return { "agent:", "dir:info", "dir:recv", "dir:send", "dir:stderr", "method:", "save", "session:" }
  end,
  AcpLogin = function()
    local s = require("nvim-acp.sessions.login").target()
    return s and vim.deepcopy(s.logins or {}) or {}
  end,
  AcpInstall = function()
    return require("nvim-acp.install").names()
  end,
  AcpSessions = function()
    return { "continue", "delete", "fork", "read", "rename" }
  end,
  AcpAttach = function()
    return vim.tbl_map(function(host)
      return tostring(host.pid)
    end, require("nvim-acp.attach.hosts").recorded())
  end,
  AcpSkills = function()
    return { "show" }
  end,
  AcpUsage = function()
    return { "agent", "day", "model", "project" }
  end,
  AcpNotes = function()
    return { "clear", "send" }
  end,
  AcpAnnotations = function()
    return { "clear", "dismiss" }
  end,
  AcpReview = function()
    return { "all", "quickfix", "session", "turn" }
  end,
  AcpHunk = function()
    return require("nvim-acp.review.hunk").actions()
  end,
  AcpKeep = function()
    return require("nvim-acp.review").scopes()
  end,
  AcpRevert = function()
    return vim.list_extend(require("nvim-acp.review").scopes(), { "redo", "undo" })
  end,
  AcpConflict = function()
    return { "both", "next", "ours", "theirs" }
  end,
  AcpPermit = function()
    return { "allow_once", "allow_always", "reject_once", "reject_always" }
  end,
  AcpMode = function()
    local o, s = options()
    return o.values(o.of(s, "mode")[1])
  end,
  AcpModel = function()
    local o, s = options()
    return o.values(o.of(s, "model")[1])
  end,
  AcpConfig = function(line)
    local o, s = options()
    local id = line:match("AcpConfig!?%s+(%S+)%s")
    if id then
      return o.values(o.named(s, id))
    end
    return vim.tbl_map(function(option)
      return option.id
    end, o.of(s))
  end,
  AcpAdd = function(line)
    local names = vim.list_extend(vim.tbl_keys(require("nvim-acp.prompt.context").names), { "function" })
    return vim.list_extend(names, require("nvim-acp.commands.file").complete(line:match("%S*$")))
  end,
}
words.AcpNew = words.AcpChat

---@param name string
---@param lead string
---@param line string
---@return string[]
function M.words(name, lead, line)
  if name == "AcpExport" or (name == "AcpLog" and line:match("save%s")) then
    return require("nvim-acp.commands.file").complete(lead)
  end
  local list = words[name] and words[name](line) or {}
  table.sort(list)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, list)
end

return M
