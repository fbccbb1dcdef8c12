--- The lower part of the permission float: the options, in a window of their own so that they never scroll away.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.answers")

---@type integer?
M.win = nil
---@type integer?
local buf

local hang = 5 -- cells before an option's name

---@class acp.Answer
---@field key string the key that is shown; others may choose it too
---@field name string
---@field kind string
---@field note string? its kind in words, where the name does not say it

-- Of each of these lists the first option of the first kind that there is is shown in any case.
local pinned = { { "allow_once" }, { "reject_once", "reject_always", "stop" } }

local function open()
  return M.win ~= nil and api.nvim_win_is_valid(M.win)
end

local function note_of(answer)
  return answer.note and (" (%s)"):format(answer.note) or ""
end

--- Returns what is shown of an option: its name, and what that does not say, which is never cut.
---@param answer { name: string, note: string? }
---@param width integer
---@return string
function M.text(answer, width)
  local note = note_of(answer)
  local room = math.max(width - api.nvim_strwidth(note), 1)
  return require("nvim-acp.ui.text").line(answer.name, room) .. note
end

-- Returns the cells before an option's name.
local function before(answer)
  return math.max(hang, api.nvim_strwidth(answer.key) + 4)
end

--- Returns the columns that options need in one row each.
---@param list acp.Answer[]
---@return integer
function M.width(list)
  local widest = 0
  for _, answer in ipairs(list) do
    widest = math.max(widest, before(answer) + api.nvim_strwidth(answer.name .. note_of(answer)) + 1)
  end
  return widest
end

-- Returns the index of the first option of the first kind that there is.
local function first_of(list, kinds)
  for _, kind in ipairs(kinds) do
    for i, answer in ipairs(list) do
      if answer.kind == kind then
        return i
      end
    end
  end
end

-- Returns as many options as there are rows, in their order and with the pinned ones, for which there are rows enough,
-- and how many are left out, which have a row of their own.
local function fitting(list, rows)
  if #list <= rows then
    return list, 0
  end
  local chosen, room = {}, rows - 1
  for _, kinds in ipairs(pinned) do
    local i = first_of(list, kinds)
    if i then
      chosen[i], room = true, room - 1
    end
  end
  local shown = {}
  for i, answer in ipairs(list) do
    if chosen[i] or room > 0 then
      room = chosen[i] and room or room - 1
      table.insert(shown, answer)
    end
  end
  return shown, #list - #shown
end

local tall = 3 -- rows of an option at most

-- Returns the rows of an option: its name is broken at spaces, and cut where that takes more rows than there may be.
local function rows_of(answer, width, most)
  local words, room = require("nvim-acp.ui.text"), math.max(width - before(answer), 1)
  local plain = not answer.name:find("[\r\n\t]") and not (" " .. answer.name):find("  ", 1, true) -- wrap joins blanks
  local whole = plain and #answer.name <= room * most * 4
  local rows = whole and words.wrap(words.visible(answer.name) .. note_of(answer), room)
  if not rows or #rows > most then
    rows = { M.text(answer, room) }
  end
  for i, row in ipairs(rows) do
    rows[i] = i == 1 and ("  %s  %s"):format(answer.key, row) or (" "):rep(before(answer)) .. row
  end
  return rows
end

-- Returns the rows of options, each of at most as many as a number.
local function all_rows(list, width, most)
  return vim.iter(list):fold({}, function(lines, answer)
    return vim.list_extend(lines, rows_of(answer, width, most))
  end)
end

local function write(list, width, rows)
  if not (buf and api.nvim_buf_is_valid(buf)) then
    buf = api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = "wipe"
    require("nvim-acp.ui.fixed").fix(buf)
    require("nvim-acp.ui.bufname").float(buf, "Answers")
    require("nvim-acp.ui.keys").protect(buf)
  end
  local shown, left = fitting(list, rows)
  local lines = all_rows(shown, width, tall)
  if #lines > rows - math.min(left, 1) then
    lines = all_rows(shown, width, 1)
  end
  if left > 0 then
    table.insert(lines, ("  m  %d more answers"):format(left))
  end
  require("nvim-acp.ui.fixed").write(buf, 0, -1, lines)
end

--- Shows options, in a row each or more where they have room, and returns the rows that they take. The window is placed
--- by M.place.
---@param list acp.Answer[]
---@param config vim.api.keyset.win_config
---@param most integer rows that there are; where there are more options, one that allows and one that rejects are shown
---@return integer rows
function M.show(list, config, most)
  write(list, config.width, math.max(most, #pinned + 1))
  config = vim.tbl_extend("force", config, { height = 1 })
  if open() then
    api.nvim_win_set_config(M.win, config)
  else
    config = vim.tbl_extend("force", config, { style = "minimal", focusable = false, noautocmd = true })
    M.win = api.nvim_open_win(buf, false, config)
    require("nvim-acp.ui.window").set(M.win, require("nvim-acp.ui.window").whole)
    local options = { wrap = false, winhighlight = "FloatBorder:AcpBorder,NormalFloat:Normal", winfixbuf = true }
    require("nvim-acp.ui.window").set(M.win, options)
  end
  return api.nvim_buf_line_count(buf)
end

--- Moves the window, or changes what its border says.
---@param config vim.api.keyset.win_config
function M.place(config)
  if open() then
    api.nvim_win_set_config(M.win, config)
  end
end

--- Colours the keys.
---@param group string
function M.light(group)
  if not (buf and api.nvim_buf_is_valid(buf)) then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local key = line:match("^  <%S+>")
    api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = math.min(key and #key or hang, #line), hl_group = group })
  end
end

function M.close()
  if open() then
    require("nvim-acp.ui.deferred").close(M.win)
  end
  M.win, buf = nil, nil
end

return M
