--- Rules for permissions: created from a request, listed and removed.
local M = {}

local state = require("nvim-acp.state")

--- Lets the user create a rule from a pending permission.
---@param s acp.Session
---@param p acp.Permission
function M.make(s, p)
  if #p.suggest == 0 then
    return require("nvim-acp.ui.message").info("no rule can be created from this request")
  end
  local choices = {}
  for _, text in ipairs(p.suggest) do
    table.insert(choices, { rule = text, scope = "session", text = text .. "  in this session" })
    table.insert(choices, { rule = text, scope = "project", text = text .. "  in this folder, for good" })
  end
  require("nvim-acp.ui.choose").from(choices, {
    prompt = "New rule (it allows no other arguments that run or write something: :help nvim-acp-rules)",
    kind = "acp-rule",
    format_item = function(choice)
      return choice.text
    end,
  }, function(choice)
    if choice then
      state.notify(s, "rule_add", { id = p.id, text = choice.rule, scope = choice.scope })
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
    format_item = function(rule)
      return ("%s  (%s)"):format(rule.text, rule.from)
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
