--- Rules for permissions: made from a request, listed and removed.
local M = {}

local state = require("nvim-acp.state")

---@class acp.Rule
---@field kind string?
---@field tool string?
---@field path string?
---@field command string?
---@field agent string?
---@field cwd string?
---@field action "allow"|"ask"|"deny"

local fields = { "kind", "tool", "path", "command", "agent", "cwd" }

--- A rule as a line.
---@param rule acp.Rule
---@return string
function M.text(rule)
  local parts = {}
  for _, key in ipairs(fields) do
    if rule[key] then
      table.insert(parts, ("%s %s"):format(key, rule[key]))
    end
  end
  return ("%s: %s"):format(rule.action, #parts > 0 and table.concat(parts, ", ") or "everything")
end

-- What is wrong with a rule. One with a field that does not exist would be for more than was meant.
local function wrong(rule)
  if type(rule) ~= "table" then
    return "must be a table, not " .. type(rule)
  elseif not vim.tbl_contains({ "allow", "ask", "deny" }, rule.action) then
    return "must have an action: allow, ask or deny"
  end
  for key, value in pairs(rule) do
    if key ~= "action" and not vim.tbl_contains(fields, key) then
      return ("unknown key %s"):format(key)
    elseif type(value) ~= "string" then
      return ("%s must be a string, not %s"):format(key, type(value))
    end
  end
end

--- Those of a list that are rules, and what is wrong with the others.
---@param list any
---@return acp.Rule[] rules, string[] problems
function M.checked(list)
  if list == nil then
    return {}, {}
  elseif type(list) ~= "table" or not vim.islist(list) then
    return {}, { "rules: must be a list" }
  end
  local good, problems = {}, {}
  for i, rule in ipairs(list) do
    local problem = wrong(rule)
    if problem then
      table.insert(problems, ("rules[%d]: %s"):format(i, problem))
    else
      table.insert(good, rule)
    end
  end
  return good, problems
end

--- Lets the user make a rule of a pending permission.
---@param s acp.Session
---@param p acp.Permission
function M.make(s, p)
  if #p.suggest == 0 then
    return require("nvim-acp.message").info("no rule can be made of this request")
  end
  local choices = {}
  for i, text in ipairs(p.suggest) do
    table.insert(choices, { index = i, scope = "session", text = text .. "  in this session" })
    table.insert(choices, { index = i, scope = "project", text = text .. "  in this folder, for good" })
  end
  vim.ui.select(choices, {
    prompt = "New rule (it is not for other arguments that run or write something: :help nvim-acp-rules)",
    format_item = function(choice)
      return choice.text
    end,
  }, function(choice)
    if choice then
      state.notify(s, "rule_add", { id = p.id, index = choice.index, scope = choice.scope })
    end
  end)
end

--- Lists the rules in force; the one chosen is removed.
---@param s acp.Session
---@param list { text: string, from: string }[]
function M.pick(s, list)
  if #list == 0 then
    return require("nvim-acp.message").info("no rules: everything is asked")
  end
  vim.ui.select(list, {
    prompt = "Rules (choose one to remove it)",
    format_item = function(rule)
      return ("%s  (%s)"):format(rule.text, rule.from)
    end,
  }, function(rule)
    if not rule then
      return
    end
    local from = rule.from == "configuration" and "your configuration" or rule.from
    if rule.from ~= "session" and rule.from ~= "project" then
      return require("nvim-acp.message").info(("that rule is in %s, where it can be removed"):format(from))
    end
    state.notify(s, "rule_remove", { text = rule.text, scope = rule.from })
  end)
end

return M
