--- A form, or a page to visit, in the float.
local M = {}

local api = vim.api
local float = require("nvim-acp.permission.float")
local ns = api.nvim_create_namespace("nvim-acp.form")

---@type table<string, table<string, any>> values, by form and field
local filled = {}

local function finish(s, p, action, permit)
  if not float.live() then
    return
  end
  local values = require("nvim-acp.config.store").object(filled[p.id])
  require("nvim-acp.state").notify(s, "fill", { id = p.id, version = p.version, action = action, values = values })
  if action ~= "accept" or #p.form.fields == 0 then
    filled[p.id] = nil
    permit.done(s, p)
  end
end

local function shown_value(field, value)
  if value == nil or value == "" then
    return "—"
  elseif field.type == "boolean" then
    return value and "yes" or "no"
  elseif field.type == "text" or field.type == "number" then
    return (value:gsub("\n", " "))
  end
  local titles = {}
  for _, choice in ipairs(field.choices) do
    if choice.value == value or (type(value) == "table" and vim.tbl_contains(value, choice.value)) then
      table.insert(titles, choice.title)
    end
  end
  return #titles > 0 and table.concat(titles, ", ") or "—"
end

local function pick(field, value, done)
  local several = field.type == "choices"
  vim.ui.select(field.choices, {
    prompt = field.title,
    kind = "acp-value",
    format_item = function(c)
      local on = c.value == value or (several and vim.tbl_contains(value or {}, c.value))
      return (on and "● " or "  ") .. c.title .. (c.description ~= "" and ": " .. c.description or "")
    end,
  }, function(c)
    if not c then
      return
    elseif not several then
      return done(c.value)
    end
    local list = vim.deepcopy(value or {})
    if vim.tbl_contains(list, c.value) then
      list = vim.tbl_filter(function(v)
        return v ~= c.value
      end, list)
    else
      table.insert(list, c.value)
    end
    done(list)
  end)
end

local function edit(s, p, field, permit)
  local values = filled[p.id]
  local function done(value)
    values[field.name] = value
    permit.show(s, p, true)
  end
  if field.type == "boolean" then
    done(not values[field.name])
  elseif field.type == "text" or field.type == "number" then
    require("nvim-acp.ui.input").ask(field.title, values[field.name], done)
  elseif field.type ~= "unknown" then
    pick(field, values[field.name], done)
  end
end

local function fill_page(p, lines)
  vim.list_extend(lines, { "", "  " .. p.form.url, "  on " .. p.form.host })
  if p.form.host:match("xn%-%-") then
    table.insert(lines, "  the name of this host is written in another alphabet: look twice")
  end
end

-- Adds the fields; returns the field of each line, and the first field's line.
local function fill_fields(p, lines)
  local at, first = {}, #lines + 2
  for _, field in ipairs(p.form.fields) do
    table.insert(lines, "")
    local value = field.type == "unknown" and "cannot be filled in here" or shown_value(field, filled[p.id][field.name])
    table.insert(lines, ("  %s%s  %s"):format(field.title, field.required and " *" or "", value))
    at[#lines] = field
    if field.description ~= "" then
      table.insert(lines, "    " .. field.description)
      at[#lines] = field
    end
    if field.problem then
      table.insert(lines, "    " .. field.problem)
      at[#lines] = field
    end
  end
  return at, first
end

local function begin(p)
  if filled[p.id] then
    return
  end
  filled[p.id] = {}
  for _, field in ipairs(p.form.fields) do
    filled[p.id][field.name] = field.value
  end
end

local function map_keys(s, p, buf, at, permit)
  local function map(key, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true })
  end
  map("<CR>", function()
    local field = at[api.nvim_win_get_cursor(0)[1]]
    if field then
      edit(s, p, field, permit)
    end
  end)
  map("a", function()
    if p.form.url ~= "" and float.live() then
      vim.ui.open(p.form.url)
    end
    finish(s, p, "accept", permit)
  end)
  map("r", function()
    finish(s, p, "decline", permit)
  end)
  map("c", function()
    finish(s, p, "cancel", permit)
  end)
  for _, key in ipairs({ "<Esc>", "q" }) do
    map(key, function()
      permit.later(p)
    end)
  end
  map("n", function()
    permit.step(p.id, 1)
  end)
  require("nvim-acp.state").announce("buffer", s, "permission", buf) -- for the key that stops the turn
end

---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
---@param permit table the actions of keys: functions of permission/init.lua
function M.show(s, p, focus, permit)
  begin(p)
  local page = p.form.url ~= ""
  local hints = page and { "a open it" } or { "<CR> fill in", "a send" }
  vim.list_extend(hints, { "r decline", "c cancel", "<Esc> later" })
  float.show(s, p, focus, hints, function(buf, new)
    local lines = vim.list_extend({}, p.lines)
    local at, first = {}, 1
    if page then
      fill_page(p, lines)
    else
      at, first = fill_fields(p, lines)
    end
    vim.bo[buf].modifiable = true
    api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].modifiable = false
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    for row, field in pairs(at) do
      local group, stop = "AcpKey", math.min(#field.title + 2, #lines[row])
      if lines[row]:match("^    ") then
        group, stop = lines[row]:sub(5) == field.problem and "AcpError" or "AcpDone", #lines[row]
      end
      api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = stop, hl_group = group })
    end
    map_keys(s, p, buf, at, permit)
    if new and next(at) then
      vim.schedule(function()
        if float.open() and float.id == p.id then
          pcall(api.nvim_win_set_cursor, float.win, { first, 2 })
        end
      end)
    end
    return lines
  end)
end

return M
