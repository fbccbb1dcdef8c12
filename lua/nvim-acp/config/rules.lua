--- Rules for permissions in the configuration and project files.
local M = {}

---@class acp.Rule
---@field kind string?
---@field tool string?
---@field path string?
---@field command string?
---@field agent string?
---@field cwd string?
---@field action "allow"|"ask"|"deny"

local fields = { "kind", "tool", "path", "command", "agent", "cwd" }

--- Returns a rule as a line.
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

-- Returns the problem of a rule. A rule with an unknown field would match more than was meant.
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

--- Splits a list into valid rules and problems of the others.
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

return M
