--- A form, or a page to visit, in the float.
local M = {}

local api = vim.api
local float = require("nvim-acp.permission.float")
local ns = api.nvim_create_namespace("nvim-acp.form")

---@type table<string, table<string, any>> values, by form and field
local filled = {}

---@type table<string, { field: table, first: integer, last: integer }[]> by form, the lines of each field
local places = {}

---@type table<string, table<string, { first: boolean?, last: boolean? }>> by form and field: what was seen
local seen = {}

local function finish(s, p, action, permit)
  if not float.acts() then
    return
  end
  local values = require("nvim-acp.config.store").object(filled[p.id])
  require("nvim-acp.state").notify(s, "fill", { id = p.id, version = p.version, action = action, values = values })
  if action ~= "accept" or #p.form.fields == 0 then
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

-- Returns a choice as it is listed: whether it is chosen, and what it is.
local function choice_text(value, c)
  local on = c.value == value or type(value) == "table" and vim.tbl_contains(value, c.value)
  local icons = require("nvim-acp.ui.style").icons()
  return (on and icons.now or icons.pending) .. " " .. c.title .. (c.description ~= "" and ": " .. c.description or "")
end

-- Returns the value after a choice was made: of several it is put in or taken out.
local function chosen(field, value, choice)
  if field.type ~= "choices" then
    return choice
  end
  local list = vim.deepcopy(value or {})
  if vim.tbl_contains(list, choice) then
    return vim.tbl_filter(function(v)
      return v ~= choice
    end, list)
  end
  table.insert(list, choice)
  return list
end

local function pick(field, value, done)
  require("nvim-acp.ui.choose").from(field.choices, {
    prompt = field.title,
    kind = "acp-value",
    format_item = function(c)
      return choice_text(value, c)
    end,
  }, function(c)
    if c then
      done(chosen(field, value, c.value))
    end
  end)
end

-- Shows a field with its choices, as far as they fit, also before the float is entered, and puts the cursor there.
local function look(p, place)
  if not float.open() or float.id ~= p.id then
    return
  end
  api.nvim_win_call(float.win, function()
    local range = { start_row = place.first - 1, end_row = place.last - 1 }
    local tall = api.nvim_win_text_height(0, range).all > api.nvim_win_get_height(0)
    local begun = (seen[p.id] and seen[p.id][place.field.name] or {}).first
    if tall and begun or not tall and vim.fn.line("w$") < place.last then
      api.nvim_win_set_cursor(0, { place.last, 2 })
      vim.cmd("normal! zb")
    elseif tall or vim.fn.line("w0") > place.first then
      api.nvim_win_set_cursor(0, { place.first, 2 })
      vim.cmd("normal! zt")
    end
    if not tall then
      api.nvim_win_set_cursor(0, { place.first, 2 })
    end
  end)
end

-- Goes on to the field behind one that needs no more than the choice that was made.
local function go_on(p, field)
  local list = places[p.id] or {}
  for i, place in ipairs(list) do
    if place.field.name == field.name and field.type == "choice" and list[i + 1] then
      return look(p, list[i + 1])
    end
  end
end

-- Fills in what is on a line: a choice, or else a field.
local function edit(s, p, line, permit)
  local values, field = filled[p.id], line.field
  local function done(value)
    if require("nvim-acp.permission.pending").waits(s, p.id, field.title .. ": " .. shown_value(field, value)) then
      values[field.name] = value
      permit.back(s, p.id)
      go_on(p, field)
    end
  end
  if line.choice then
    done(chosen(field, values[field.name], line.choice.value))
  elseif field.type == "boolean" then
    done(not values[field.name])
  elseif field.type == "text" or field.type == "number" then
    require("nvim-acp.permission.pending").ask(s, p.id, field.title, values[field.name], done)
  elseif field.type ~= "unknown" then
    pick(field, values[field.name], done)
  end
end

-- Adds a page: its host in the first row, by its end where that has no room, what to think of, and the address. Returns
-- the last row of the second.
local function fill_page(s, p, lines)
  local place, page = require("nvim-acp.permission.place"), p.form.page
  local room = place.most(place.space(s, float.full)) - #"  on  "
  table.insert(lines, "  on " .. require("nvim-acp.ui.text").tail(page.host, room))
  for _, note in ipairs(page.notes) do
    table.insert(lines, "  " .. note .. ": look twice")
  end
  table.insert(lines, "  " .. page.address)
  return #lines - 1
end

local listed = 12 -- choices of a field that are listed below it; of more one is chosen from a menu

-- Adds the fields. Returns what each line is of.
local function fill_fields(p, lines)
  local at = {}
  places[p.id] = {}
  for _, field in ipairs(p.form.fields) do
    table.insert(lines, "")
    local filled_in = filled[p.id][field.name]
    local value = field.type == "unknown" and "cannot be filled in here" or shown_value(field, filled_in)
    table.insert(lines, ("  %s%s  %s"):format(field.title, field.required and " *" or "", value))
    at[#lines] = { field = field }
    local place = { field = field, first = #lines }
    if field.description ~= "" then
      table.insert(lines, "    " .. field.description)
      at[#lines] = { field = field, group = "AcpDone" }
    end
    if field.problem then
      table.insert(lines, "    " .. field.problem)
      at[#lines] = { field = field, group = "AcpError" }
    end
    local choices = type(field.choices) == "table" and field.choices or {}
    if #choices <= listed then
      for i, choice in ipairs(choices) do
        table.insert(lines, ("    %s %s"):format(i < 10 and i or " ", choice_text(filled_in, choice)))
        at[#lines] = { field = field, choice = choice, group = "" }
      end
    end
    place.last = #lines
    table.insert(places[p.id], place)
  end
  return at
end

-- Notes what is on the screen.
local function note(p)
  if not float.open() then
    return
  end
  local info = vim.fn.getwininfo(float.win)[1]
  local function shows(line)
    return info.topline <= line and line <= info.botline
  end
  seen[p.id] = seen[p.id] or {}
  for _, place in ipairs(places[p.id] or {}) do
    local is = seen[p.id][place.field.name] or {}
    seen[p.id][place.field.name] = { first = is.first or shows(place.first), last = is.last or shows(place.last) }
  end
end

-- Returns the fields that have not been on the screen.
local function unseen(p)
  note(p)
  return vim.tbl_filter(function(place)
    local is = (seen[p.id] or {})[place.field.name] or {}
    return not (is.first and is.last)
  end, places[p.id] or {})
end

-- Shows the first field that has not been on the screen, and reports whether there is one.
local function more(p)
  local list = unseen(p)
  if #list == 0 then
    return false
  end
  look(p, list[1])
  vim.cmd.redraw()
  local title = require("nvim-acp.ui.text").line(list[1].field.title, 40)
  local left = #unseen(p) > 0
  require("nvim-acp.ui.message").info(title .. (left and " is asked too" or " is asked too: a sends the form now"))
  return true
end

-- Forgets forms that are over.
local function forget()
  local open = {}
  for _, s in pairs(require("nvim-acp.state").sessions) do
    for _, p in ipairs(s.permissions) do
      open[p.id] = true
    end
  end
  for id in pairs(filled) do
    if not open[id] then
      filled[id], places[id], seen[id] = nil, nil, nil
    end
  end
end

local function begin(p)
  forget()
  if filled[p.id] then
    return
  end
  filled[p.id] = {}
  for _, field in ipairs(p.form.fields) do
    filled[p.id][field.name] = field.value
  end
end

-- Returns the field that a digit is for: the one under the cursor, else the first with choices.
local function digit_field(p, line)
  local function chooses(field)
    return type(field.choices) == "table" and #field.choices > 0
  end
  if line and chooses(line.field) then
    return line.field
  end
  return vim.iter(p.form.fields):find(chooses)
end

-- Reports whether nothing is asked but one of some choices.
local function one_choice(p)
  return #p.form.fields == 1 and p.form.fields[1].type == "choice"
end

-- Chooses the nth of a field's choices. Where nothing else is asked that is the answer.
local function choose_nth(s, p, line, n, permit)
  local field = digit_field(p, line)
  local choice = field and field.choices[n]
  if not choice then
    return
  end
  filled[p.id][field.name] = chosen(field, filled[p.id][field.name], choice.value)
  if one_choice(p) and float.acts() then
    return finish(s, p, "accept", permit)
  end
  permit.show(s, p, true)
  go_on(p, field)
end

local function map_keys(s, p, buf, at, permit)
  local function map(key, desc, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = desc })
  end
  local function map_fields()
    map("<CR>", "fill in what is here", function()
      local line = at[api.nvim_win_get_cursor(0)[1]]
      if line then
        edit(s, p, line, permit)
      end
    end)
    for n = 1, 9 do
      map(tostring(n), "choose number " .. n, function()
        choose_nth(s, p, at[api.nvim_win_get_cursor(0)[1]], n, permit)
      end)
    end
  end
  if not p.form.page then
    map_fields()
  end
  map("a", p.form.page and "open the page" or "send the form", function()
    if not float.acts() or more(p) then
      return
    elseif p.form.page then
      vim.ui.open(p.form.page.url)
    end
    finish(s, p, "accept", permit)
  end)
  local group = api.nvim_create_augroup("nvim-acp.form", {})
  api.nvim_create_autocmd({ "CursorMoved", "WinScrolled" }, {
    group = group,
    buffer = buf,
    callback = function()
      note(p)
    end,
  })
  map("r", "decline", function()
    finish(s, p, "decline", permit)
  end)
  map("c", "cancel", function()
    finish(s, p, "cancel", permit)
  end)
  for _, key in ipairs({ "<Esc>", "q" }) do
    map(key, "hide it for now", function()
      permit.later(p.id)
    end)
  end
  map("n", "next request", function()
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
  local page = p.form.page ~= nil
  local hints = page and { "a open it" } or { "<CR> fill in", "a send" }
  if digit_field(p) then
    table.insert(hints, 1, one_choice(p) and "1-9 answer" or "1-9 choose")
  end
  vim.list_extend(hints, { "r decline", "c cancel", "<Esc> later" })
  float.show(s, p, focus, hints, function(buf, new)
    local lines = {}
    local at, noted = {}, 0
    if page then
      noted = fill_page(s, p, lines) -- before the agent's words, however long these are
      table.insert(lines, "")
    end
    vim.list_extend(lines, p.lines)
    if not page then
      at = fill_fields(p, lines)
    end
    require("nvim-acp.ui.fixed").write(buf, 0, -1, lines)
    api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    for row, line in pairs(at) do
      local stop = line.group and #lines[row] or #line.field.title + 2
      if line.group ~= "" then
        api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = stop, hl_group = line.group or "AcpKey" })
      end
    end
    for row = 2, noted do
      api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = #lines[row], hl_group = "AcpWarning" })
    end
    map_keys(s, p, buf, at, permit)
    if new and next(at) then
      local first = places[p.id][1]
      vim.schedule(function() -- the form may be over by then
        look(p, first)
      end)
    end
    return lines
  end)
end

return M
