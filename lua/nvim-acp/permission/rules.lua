--- Rules for permissions: created from a request, listed and removed.
local M = {}

local state = require("nvim-acp.state")

--- Lets the user create a rule from a pending permission.
---@param s acp.Session
---@param p acp.Permission
function M.make(s, p)
  local door = require("nvim-acp.permission.door")
  if not door.may_allow(p) then
    return
  end
  if #p.suggest == 0 then
    return require("nvim-acp.ui.message").info("no rule can be created from this request")
  end
  local choices = {}
  local function add(rule, scope, text)
    if require("nvim-acp.ui.menu").holds(text) then
      table.insert(choices, { rule = rule, scope = scope, text = text })
    end
  end
  for _, rule in ipairs(p.suggest) do
    add(rule, "session", "in this session, " .. rule)
    add(rule, "project", "in this folder, for good, " .. rule)
  end
  if #choices == 0 then
    return require("nvim-acp.ui.message").info("no rule for this request has room on the screen")
  end
  require("nvim-acp.ui.choose").from(choices, {
    prompt = "New rule (riskier arguments still ask: :help nvim-acp-rules)",
    kind = "acp-rule",
    wrap = true,
    format_item = function(choice)
      return choice.text
    end,
  }, function(choice)
    if choice then
      door.rule(s, p, choice.rule, choice.scope)
    end
  end)
end

--- Lists the current rules and removes the chosen one.
---@param s acp.Session
---@param list { text: string, from: string }[]
function M.pick(s, list)
  if #list == 0 then
    return require("nvim-acp.ui.message").info("no rules: every request asks")
  end
  require("nvim-acp.ui.choose").from(list, {
    prompt = "Rules (choose one to remove it)",
    kind = "acp-rule",
    wrap = true,
    format_item = function(rule)
      return ("%s: %s"):format(rule.from, rule.text)
    end,
  }, function(rule)
    if not rule then
      return
    end
    local from = rule.from == "configuration" and "your configuration" or rule.from
    if rule.from ~= "session" and rule.from ~= "project" then
      return require("nvim-acp.ui.message").info(("that rule is in %s: remove it there"):format(from))
    end
    state.notify(s, "rule_remove", { text = rule.text, scope = rule.from })
  end)
end

return M
