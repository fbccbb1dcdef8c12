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

-- Kinds of which the first option is shown in any case.
local pinned = { "allow_once", "reject_once" }

local function open()
  return M.win ~= nil and api.nvim_win_is_valid(M.win)
end

local function note_of(answer)
  return answer.note and (" (%s)"):format(answer.note) or ""
end

--- Returns the columns that options need in one row each.
---@param list acp.Answer[]
---@return integer
function M.width(list)
  local widest = 0
  for _, answer in ipairs(list) do
    widest = math.max(widest, hang + api.nvim_strwidth(answer.name .. note_of(answer)) + 1)
  end
  return widest
end

-- Returns as many options as there are rows, in their order and with the pinned ones, and how many are left out, which
-- have a row of their own.
local function fitting(list, rows)
  if #list <= rows then
    return list, 0
  end
  local chosen, room = {}, rows - 1
  for _, kind in ipairs(pinned) do
    for i, answer in ipairs(list) do
      if answer.kind == kind and room > 0 then
        chosen[i], room = true, room - 1
        break
      end
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

local function write(list, width, rows)
  if not (buf and api.nvim_buf_is_valid(buf)) then
    buf = api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = "wipe"
    require("nvim-acp.ui.keys").protect(buf)
  end
  local shown, left = fitting(list, rows)
  local lines, line = {}, require("nvim-acp.ui.text").line
  for _, answer in ipairs(shown) do
    local note = note_of(answer)
    local room = math.max(width - hang - api.nvim_strwidth(note), 1)
    table.insert(lines, ("  %s  %s%s"):format(answer.key, line(answer.name, room), note))
  end
  if left > 0 then
    table.insert(lines, ("  m  %d more answers"):format(left))
  end
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

--- Shows options, a row each, and returns the rows that they take. The window is placed by M.place.
---@param list acp.Answer[]
---@param config vim.api.keyset.win_config
---@param most integer rows that there are; where there are more options, those that allow and reject once are shown
---@return integer rows
function M.show(list, config, most)
  write(list, config.width, math.max(most, #pinned + 1))
  config = vim.tbl_extend("force", config, { height = 1 })
  if open() then
    api.nvim_win_set_config(M.win, config)
  else
    config = vim.tbl_extend("force", config, { style = "minimal", focusable = false, noautocmd = true })
    M.win = api.nvim_open_win(buf, false, config)
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
    api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = math.min(hang, #line), hl_group = group })
  end
end

function M.close()
  if open() then
    api.nvim_win_close(M.win, true)
  end
  M.win, buf = nil, nil
end

return M
