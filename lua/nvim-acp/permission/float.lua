--- The float for permissions and forms: its place, when its keys act, when it may take the focus.
local M = {}

local api = vim.api

local quiet = 300 -- milliseconds without a key before the float's keys act
local last_key, previous_key = 0, 0

---@type string? id of the shown request
M.id = nil
---@type integer? its version
M.version = nil
---@type integer?
M.win = nil
---@type integer?
M.buf = nil
---@type integer when the shown text last changed, in milliseconds of uv.now()
M.changed = 0

---@type boolean the float fills the screen
M.full = false

---@type string[] hints about keys
M.hints = {}

local watching = false

---@type string? the bar above lines that do not fit
local bar_text

--- Reports whether the float's keys act: nothing was typed for a while since the shown text last changed.
---@return boolean
function M.live()
  return vim.uv.now() - math.max(previous_key, M.changed) >= quiet
end

---@return boolean
function M.open()
  return M.win ~= nil and api.nvim_win_is_valid(M.win)
end

---@return boolean
function M.entered()
  return M.open() and api.nvim_get_current_win() == M.win
end

-- Where the user was when the float was entered, and whether they were typing there.
---@type { win: integer, cursor: integer[], typing: boolean }?
local from

local function note_from()
  local typing = api.nvim_get_mode().mode:sub(1, 1) == "i"
  from = from or { win = api.nvim_get_current_win(), cursor = api.nvim_win_get_cursor(0), typing = typing }
end

-- Closes the window and returns to the previous one: Neovim would choose another if one was opened meanwhile.
local function leave()
  local back = M.entered() and from
  api.nvim_win_close(M.win, true)
  if back and api.nvim_win_is_valid(back.win) then
    api.nvim_set_current_win(back.win)
  end
  from = back or nil
end

-- Handles WinEnter: a user who has left the float for another window is not moved back.
local function entering()
  if M.open() and api.nvim_win_get_config(0).relative == "" then
    from = nil
  end
  M.foot()
end

local function watch_keys()
  if watching then
    return
  end
  watching = true
  api.nvim_create_autocmd("WinEnter", { group = api.nvim_create_augroup("nvim-acp.float", {}), callback = entering })
  vim.on_key(function()
    previous_key, last_key = last_key, vim.uv.now()
  end, api.nvim_create_namespace("nvim-acp.float"))
end

-- Lets the user continue typing in the same place, unless the next request is shown or they have moved on.
local function resume()
  if M.entered() then
    return
  end
  local place = from
  from = nil
  if not place or not place.typing or api.nvim_get_current_win() ~= place.win or api.nvim_get_mode().mode ~= "n" then
    return
  end
  local row, col = unpack(place.cursor)
  local line = api.nvim_buf_get_lines(0, row - 1, row, false)[1]
  if line then
    api.nvim_win_set_cursor(0, place.cursor)
    vim.cmd.startinsert({ bang = col >= #line })
  end
end

--- Closes the float and its buffer.
---@return boolean entered whether the user was in it
function M.close()
  local entered = M.entered()
  if entered then
    vim.schedule(resume)
  end
  if M.open() then
    leave()
  end
  if M.buf and api.nvim_buf_is_valid(M.buf) then
    api.nvim_buf_delete(M.buf, { force = true })
  end
  M.win, M.buf, M.id, M.version, M.full = nil, nil, nil, nil, false
  require("nvim-acp.permission.scroll").update(nil)
  return entered
end

-- Reports whether the float may take the focus: only from a user who reads this transcript and has pressed no key for a
-- second.
local function may_take_focus(s)
  local reading =
    vim.tbl_contains(require("nvim-acp.state.buffers").windows(s, "transcript"), api.nvim_get_current_win())
  return reading and api.nvim_get_mode().mode == "n" and vim.uv.now() - last_key >= 1000
end

-- Returns the cells of a line, with the float's tabs: strdisplaywidth() would use the current window's.
local function cells(line)
  return api.nvim_strwidth((line:gsub("\t", "    ")))
end

local function height_of(lines, width)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(cells(line) / math.max(width, 1)))
  end
  return math.max(1, height)
end

-- Returns the hints that fit in one line.
local function fitting(hints, width)
  local text = " " .. hints[1] .. " "
  for i = 2, #hints do
    local longer = text .. "  " .. hints[i] .. " "
    if api.nvim_strwidth(longer) > width then
      break
    end
    text = longer
  end
  return text
end

-- Returns the place: over the chat, or at the lower right if the chat is closed; and whether the lines do not fit.
local function place(s, lines, pad, title, hints)
  local widest = math.max(api.nvim_strwidth(title), api.nvim_strwidth(fitting(hints, 76))) + 2
  for _, line in ipairs(lines) do
    widest = math.max(widest, cells(line) + 2 + pad)
  end
  local over = require("nvim-acp.state.buffers").windows(s, "transcript", api.nvim_get_current_tabpage())[1]
  local most = math.floor(vim.o.columns * 0.8)
  if over then -- rather over the chat than over the code, where the chat has room
    most = math.min(most, math.max(api.nvim_win_get_width(over) - 4, 72))
  end
  local width = math.max(20, math.min(widest, most))
  local whole = height_of(lines, width - pad)
  local height = math.min(whole, math.max(math.floor(vim.o.lines * 0.8) - 2, 1))
  if M.full then
    width, height = vim.o.columns - 4, vim.o.lines - vim.o.cmdheight - 4
  end
  local config = { relative = "editor", width = width, height = height, zindex = 60 }
  config.border = require("nvim-acp.ui.style").border()
  if M.full then
    config.row, config.col = 0, 1
  elseif over then
    local pos = api.nvim_win_get_position(over)
    config.row = math.max(pos[1] + api.nvim_win_get_height(over) - height - 2, 0)
    local middle = pos[2] + math.floor((api.nvim_win_get_width(over) - width - 2) / 2)
    config.col = math.max(math.min(middle, vim.o.columns - width - 2), 0)
  else
    config.row = math.max(vim.o.lines - vim.o.cmdheight - height - 3, 0)
    config.col = math.max(vim.o.columns - width - 2, 0)
  end
  return config, whole > height
end

-- Returns the position of the shown request among several.
local function position(id)
  local all = require("nvim-acp.permission.pending").list()
  for i, item in ipairs(all) do
    if item.p.id == id and #all > 1 then
      return ("  %d of %d"):format(i, #all)
    end
  end
  return ""
end

--- Shows lines for a permission or form. The caller fills the buffer and sets its keys in fill.
---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
---@param hints string[] hints about keys for a user in the float, the most useful first
---@param fill fun(buf: integer, new: boolean): string[], integer? returns the lines, and the cells before each
---@param bar string? the end of the lines, for a float where they do not fit
function M.show(s, p, focus, hints, fill, bar)
  watch_keys()
  require("nvim-acp.ui.style").define()
  local same = M.id == p.id and M.open()
  if not same then
    M.close()
    M.buf = api.nvim_create_buf(false, true)
    vim.bo[M.buf].filetype = "acp-permission"
    vim.bo[M.buf].tabstop = 4
  end
  if not same or M.version ~= p.version then
    M.changed = vim.uv.now()
  end
  M.id, M.version = p.id, p.version
  local lines, pad = fill(M.buf, not same)
  local label = (p.label ~= "" and " " .. p.label or "") .. position(p.id)
  local config, long = place(s, lines, pad or 0, " " .. p.title .. label .. " ", hints)
  local room = config.width - api.nvim_strwidth(label) - 2
  local title = require("nvim-acp.ui.text").line(p.title, math.max(room, 10))
  config.title = { { (" %s%s "):format(title, label), "AcpBorder" } }
  if same then
    api.nvim_win_set_config(M.win, config)
  else
    config.style = "minimal"
    M.win = api.nvim_open_win(M.buf, false, config)
    vim.wo[M.win].winhighlight = "FloatBorder:AcpBorder,NormalFloat:Normal"
    vim.wo[M.win].wrap, vim.wo[M.win].linebreak = true, false -- else the lines need more rows than there are
    vim.wo[M.win].winfixbuf = true
  end
  M.hints = hints
  bar_text = long and bar or nil
  vim.wo[M.win].winbar = bar_text and " " or ""
  require("nvim-acp.permission.scroll").update(not M.full and M.win or nil, s)
  if (focus or may_take_focus(s)) and vim.fn.getcmdwintype() == "" then
    note_from()
    api.nvim_set_current_win(M.win)
    vim.cmd.stopinsert()
  end
  M.foot()
end

--- Says below what the keys do, for one who is elsewhere the one that leads here.
function M.foot()
  if not M.open() then
    return
  end
  local key = require("nvim-acp.config").options.keys.focus_permission
  local in_chat = vim.b.acp_session ~= nil and vim.b.acp_terminal == nil and key -- only there it is mapped
  local reach = (" %s answer "):format(in_chat and key or ":AcpPermit")
  local footer = M.entered() and fitting(M.hints, api.nvim_win_get_width(M.win)) or reach
  api.nvim_win_set_config(M.win, { footer = { { footer, "AcpDone" } } })
end

--- Draws the bar above the lines in a colour, if there is one.
---@param group string
function M.bar(group)
  if M.open() and bar_text then
    local text = require("nvim-acp.ui.text").escape(bar_text)
    vim.wo[M.win].winbar = ("%%#%s# %s %%<"):format(group, text) -- cut at the end
  end
end

return M
