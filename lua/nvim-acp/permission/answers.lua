--- The lower part of the permission float: the options, in a window of their own so that they never scroll away.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.answers")

---@type integer?
M.win = nil
---@type integer?
local buf

local hang = 5 -- cells before an option's name, and before the rows in which it continues

---@class acp.Answer
---@field key string the key that is shown; others may choose it too
---@field name string

local function open()
  return M.win ~= nil and api.nvim_win_is_valid(M.win)
end

--- Returns the columns that options need in one row each.
---@param list acp.Answer[]
---@return integer
function M.width(list)
  local widest = 0
  for _, answer in ipairs(list) do
    widest = math.max(widest, hang + api.nvim_strwidth(answer.name) + 1)
  end
  return widest
end

local function write(list)
  if not (buf and api.nvim_buf_is_valid(buf)) then
    buf = api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = "wipe"
  end
  local lines = {}
  for _, answer in ipairs(list) do
    table.insert(lines, ("  %s  %s"):format(answer.key, answer.name))
  end
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

--- Shows options, and returns the rows that they take. The window is placed by M.place.
---@param list acp.Answer[]
---@param config vim.api.keyset.win_config
---@return integer rows
function M.show(list, config)
  write(list)
  config = vim.tbl_extend("force", config, { height = 1 })
  if open() then
    api.nvim_win_set_config(M.win, config)
  else
    config = vim.tbl_extend("force", config, { style = "minimal", focusable = false, noautocmd = true })
    M.win = api.nvim_open_win(buf, false, config)
    local options = {
      wrap = true,
      linebreak = true,
      breakindent = true,
      breakindentopt = "shift:" .. hang - 2,
      winhighlight = "FloatBorder:AcpBorder,NormalFloat:Normal",
      winfixbuf = true,
    }
    require("nvim-acp.ui.window").set(M.win, options)
  end
  return api.nvim_win_text_height(M.win, {}).all
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
