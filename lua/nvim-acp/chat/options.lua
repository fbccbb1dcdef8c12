--- Modes, models and options of an agent: chosen, completed, cycled.
local M = {}

local message = require("nvim-acp.ui.message")

--- Returns the options of a session, all or those of a category.
---@param s acp.Session?
---@param category string?
---@return table[]
function M.of(s, category)
  return s and vim.tbl_filter(function(o)
    return category == nil or o.category == category
  end, s.options) or {}
end

--- Returns the option with an id.
---@param s acp.Session?
---@param id string
---@return table?
function M.named(s, id)
  return vim.tbl_filter(function(o)
    return o.id == id
  end, M.of(s))[1]
end

local function set(s, option, value)
  require("nvim-acp.state").notify(s, "set", { option = option.id, value = value })
end

local function width(list, key)
  local most = 0
  for _, entry in ipairs(list) do
    most = math.max(most, vim.api.nvim_strwidth(entry[key]))
  end
  return math.min(most, 40)
end

-- Returns an aligned line: the name and the description.
local function line(mark, name, wide, rest)
  local text = require("nvim-acp.ui.text").line(name, wide)
  text = text .. (" "):rep(wide - vim.api.nvim_strwidth(text))
  return require("nvim-acp.ui.text").line(
    vim.trim(mark .. text .. "  " .. (rest or "")),
    math.max(vim.o.columns - 12, 20)
  )
end

---@param s acp.Session
---@param option table
function M.pick(s, option)
  local named = vim.tbl_map(function(c)
    return vim.tbl_extend("force", c, { title = (c.group and c.group .. ": " or "") .. c.name })
  end, option.choices)
  local wide = width(named, "title")
  local at
  for i, c in ipairs(named) do
    at = c.value == option.value and i or at
  end
  local left = option.left and (" (%s choices are left out)"):format(option.left) or ""
  require("nvim-acp.ui.choose").from(named, {
    prompt = option.name .. left,
    kind = "acp-option",
    at = at,
    format_item = function(c)
      return line(c.value == option.value and "● " or "○ ", c.title, wide, c.description)
    end,
  }, function(choice)
    if choice then
      set(s, option, choice.value)
    end
  end)
end

--- Sets the option of a category, or lets the user choose.
---@param s acp.Session
---@param category string
---@param value string
function M.category(s, category, value)
  local option = M.of(s, category)[1]
  if value ~= "" then
    return set(s, option or { id = category }, value)
  elseif not option then
    local yet = s.state == "starting" and "%s is still starting" or "%s offers no %s to choose"
    return message.warn(yet:format(s.agent_title, category))
  end
  M.pick(s, option)
end

local function turn(s, option)
  if option.type == "boolean" then
    set(s, option, option.value ~= true)
  else
    M.pick(s, option)
  end
end

--- Sets an option by its id, or lets the user choose one and its value.
---@param s acp.Session
---@param id string?
---@param value string?
function M.config(s, id, value)
  local option = id and M.named(s, id)
  if id and value then
    if option and option.type == "boolean" then
      if value ~= "on" and value ~= "off" then
        return message.warn(('%s is on or off, not "%s"'):format(id, value))
      end
      return set(s, option, value == "on")
    end
    return set(s, { id = id }, value)
  elseif id and not option then
    return message.warn(('%s offers no option "%s"'):format(s.agent_title, id))
  elseif option then
    return turn(s, option)
  elseif #s.options == 0 then
    return message.info(s.agent_title .. " offers no options")
  end
  local wide = width(s.options, "name")
  require("nvim-acp.ui.choose").from(s.options, {
    prompt = "Options",
    kind = "acp-option",
    format_item = function(o)
      return line("", o.name, wide, o.label)
    end,
  }, function(chosen)
    if chosen then
      turn(s, chosen)
    end
  end)
end

--- Goes to the next mode.
---@param s acp.Session
function M.cycle(s)
  local option = M.of(s, "mode")[1]
  if not option or #option.choices == 0 then
    return message.info(s.agent_title .. " offers no modes")
  end
  local next = 1
  for i, c in ipairs(option.choices) do
    if c.value == option.value then
      next = i % #option.choices + 1
    end
  end
  local choice = option.choices[next]
  set(s, option, choice.value)
  option.value = choice.value -- so that pressing the key again cycles on
  s.mode = { id = choice.value, name = choice.name }
  require("nvim-acp.state").announce("changed", s)
end

--- Returns the values of an option, for completion.
---@param option table?
---@return string[]
function M.values(option)
  if option and option.type == "boolean" then
    return { "off", "on" }
  end
  return option and vim.tbl_map(function(c)
    return c.value
  end, option.choices or {}) or {}
end

return M
