--- The float for permissions and forms: its place, when its keys act, when it may take the focus.
local M = {}

local api = vim.api

local quiet = 300 -- milliseconds without a key before the float's keys act
local last_key, previous_key = 0, 0
local went = 0 -- when the user went to the float, by a key that is no stray one

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

-- The width that the host was last asked for, and for which request.
---@type { id: string?, width: integer? }
local wanted = {}

local watching = false

--- Reports whether the float's keys act: nothing was typed for a while since the shown text last changed.
---@param key integer? when the last key before was typed, where it is asked of one that is
---@return boolean
function M.live(key)
  key = key or last_key
  return vim.uv.now() - math.max(key > went and key or 0, M.changed) >= quiet
end

local refused = 0 -- when a key was pressed that did not act yet
local told = 1500 -- milliseconds for which that is said

--- Reports whether a key that answers acts. Of one that comes too early the border says so for a moment.
---@return boolean
function M.acts()
  refused = M.live(previous_key) and 0 or vim.uv.now()
  if refused > 0 then
    M.foot()
    vim.defer_fn(M.foot, told + 10)
  end
  return refused == 0
end

--- Notes that the user goes to the float: the keys for that do not count among those that were typed.
function M.go()
  went = vim.uv.now()
end

---@return boolean
function M.open()
  return M.win ~= nil and api.nvim_win_is_valid(M.win)
end

---@return boolean
function M.entered()
  return api.nvim_get_current_win() == M.win
end

-- Returns the level of the float: below others, such as a picker's, until it is entered.
local function level()
  return M.entered() and 60 or 45
end

-- Where the user was when the float was entered.
---@type acp.Origin?
local from

local function note_from()
  local origin = require("nvim-acp.ui.origin")
  from = from or origin.here()
  origin.note(M.win, from)
end

-- Closes the window; the user goes back, and may be typing there.
local function leave()
  local back = M.entered() and from
  require("nvim-acp.ui.origin").close(M.win)
  from = back or nil
end

local entered_by_us = false -- in another tab page Neovim enters its window first

-- Handles WinEnter: a user who has left the float for another window is not moved back.
local function entering()
  if M.open() and not entered_by_us and api.nvim_win_get_config(0).relative == "" then
    from = nil
    require("nvim-acp.ui.origin").note(M.win, nil)
  end
  M.foot()
end

---@type fun(id: string) hides a request
M.hide = function() end
---@type fun(id: string) shows a request again
M.again = function() end

local resume

-- Handles WinClosed: who closes the window hides its request, and goes on typing. One that has gone with its tab page
-- is shown where the user is.
local function gone(event)
  if tonumber(event.match) == M.win then
    local place, tab = M.entered() and from, api.nvim_win_get_tabpage(M.win)
    vim.schedule(function()
      if M.id and not M.open() and not api.nvim_tabpage_is_valid(tab) then
        M.again(M.id)
      elseif M.id and not M.open() then
        if place then -- also in another tab page
          from = place
          require("nvim-acp.ui.origin").back(place)
        end
        M.hide(M.id)
        resume()
      end
    end)
  end
end

local more

local function watch_keys()
  if watching then
    return
  end
  watching = true
  local group = api.nvim_create_augroup("nvim-acp.float", {})
  api.nvim_create_autocmd("WinEnter", { group = group, callback = entering })
  api.nvim_create_autocmd("WinScrolled", { group = group, callback = more })
  api.nvim_create_autocmd("WinClosed", { group = group, callback = gone })
  vim.on_key(function()
    previous_key, last_key = last_key, vim.uv.now()
  end, api.nvim_create_namespace("nvim-acp.float"))
end

-- Lets the user continue typing in the same place, unless the next request is shown or they have moved on.
resume = function()
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
  require("nvim-acp.permission.answers").close()
  if M.buf and api.nvim_buf_is_valid(M.buf) then
    require("nvim-acp.ui.indent").forget(M.buf)
    require("nvim-acp.ui.deferred").delete(M.buf)
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

-- Returns the hints that fit in one line.
local function fitting(hints, width)
  local text = " " .. hints[1] .. " "
  for i = 2, #hints do
    local longer = ("%s%s %s "):format(text, require("nvim-acp.ui.style").icons().dot, hints[i])
    if api.nvim_strwidth(longer) > width then
      break
    end
    text = longer
  end
  return text
end

-- Returns the widest of what the float shows.
local function widest(lines, title, answers, hints)
  local width = math.max(cells(title), cells(fitting(hints, 60)), require("nvim-acp.permission.answers").width(answers))
  for _, line in ipairs(lines) do
    width = math.max(width, cells(line) + 2)
  end
  return width
end

-- Returns the position of the shown request among several.
local function position(id)
  local pending = require("nvim-acp.permission.pending")
  local count = pending.count()
  for i, item in ipairs(pending.list()) do
    if item.p.id == id and count > 1 then
      return (" %d/%d "):format(i, count)
    end
  end
  return ""
end

-- Returns the title: who asks what at the left, which of several requests it is at the right.
local function title_of(p, width, line)
  local where = position(p.id)
  local label = p.label ~= "" and " " .. p.label or ""
  local room = width - cells(label) - cells(where) - 2
  local title = cells(p.title) > room and (p.what or "") ~= "" and p.what or p.title
  local text = (" %s%s "):format(require("nvim-acp.ui.text").line(title, math.max(room, 10)), label)
  local rest = math.max(width - cells(text) - cells(where), 0)
  return { { text, "AcpTitle" }, { line:rep(rest), "AcpBorder" }, { where, "AcpBorder" } }
end

local function heading_of(p, title)
  return (" %s%s  %s"):format(title, p.label ~= "" and " " .. p.label or "", position(p.id))
end

--- Returns what a request is about, if the border has no room for it: its file may be named in no other place.
---@param s acp.Session
---@param p acp.Permission
---@return string[] lines one, or none
function M.untitled(s, p)
  local place = require("nvim-acp.permission.place")
  local what = (p.what or "") ~= "" and p.what or p.title
  return cells(heading_of(p, what)) > place.most(place.space(s, M.full)) and { "  " .. what } or {}
end

-- Says at the line above the options how much of the text is below.
function more()
  if not M.open() then
    return
  end
  local below = require("nvim-acp.ui.window").below(M.win)
  local text = below and (" %s "):format(below) or ""
  require("nvim-acp.permission.answers").place({ title = { { text, "AcpBorder" } }, title_pos = "right" })
end

-- Asks the host for text that fits the float, where it was laid out for another width.
local function lay_out(s, p, space)
  local most = require("nvim-acp.permission.place").most(space)
  if p.width and p.width ~= most and (wanted.id ~= p.id or wanted.width ~= most) then
    wanted = { id = p.id, width = most }
    require("nvim-acp.state").notify(s, "inspect", { id = p.id, what = "width", width = most })
  end
end

-- Gives the float and its options their places, and returns whether it has options.
local function layout(s, p, lines, answers)
  local place, lower = require("nvim-acp.permission.place"), require("nvim-acp.permission.answers")
  local upper_border, lower_border, rule = require("nvim-acp.ui.style").split_border()
  local space = place.space(s, M.full)
  lay_out(s, p, space)
  local width = place.width(space, widest(lines, heading_of(p, p.title), answers, M.hints), M.full)

  local config = { relative = "editor", row = 0, col = 0, width = width, height = 1, zindex = level() }
  config.border = #answers > 0 and upper_border or require("nvim-acp.ui.style").border()
  config.title = title_of(p, width, rule)
  if M.open() then
    api.nvim_win_set_config(M.win, config)
  else
    M.win = api.nvim_open_win(M.buf, false, vim.tbl_extend("force", config, { style = "minimal" }))
    require("nvim-acp.ui.window").set(M.win, require("nvim-acp.ui.window").whole)
    require("nvim-acp.ui.window").set(M.win, {
      winhighlight = "FloatBorder:AcpBorder,NormalFloat:Normal",
      wrap = true,
      smoothscroll = p.form == nil, -- a line may be longer than the window
      fillchars = "eob: ,lastline:" .. require("nvim-acp.ui.style").icons().cut,
      winfixbuf = true,
    })
  end

  local hang, below_text = require("nvim-acp.ui.hang"), p.hang or p.form ~= nil
  local two = { breakindent = true, breakindentopt = "shift:2,min:10" }
  require("nvim-acp.ui.window").set(M.win, below_text and hang.window or two)
  vim.wo[M.win].linebreak = p.hang == true
  require("nvim-acp.ui.indent").fit(M.buf)
  if p.hang then
    require("nvim-acp.ui.wrap").clear(M.buf)
  else -- a flag or an operator of a command is never apart from its word
    require("nvim-acp.ui.wrap").at_spaces(M.buf, width, p.form and hang.beyond or 2)
  end

  local rows = 0 -- of the options, with their lower border
  if #answers > 0 then
    local below = { relative = "editor", row = 0, col = 0, width = width, zindex = level(), border = lower_border }
    rows = lower.show(answers, below, math.floor((space.rows - 3) / 2)) + 1
  else
    lower.close()
  end

  local most = math.max((M.full and space.rows or math.floor(space.rows * 0.9)) - rows - 2, 1)
  local whole = api.nvim_win_text_height(M.win, {}).all
  config.height = M.full and most or math.max(math.min(whole, most), 1)
  local typing = M.entered() and from and from.win or api.nvim_get_current_win()
  typing = typing ~= M.win and api.nvim_win_is_valid(typing) and typing or nil
  config.row, config.col = place.corner(s, space, width + 2, config.height + rows + 2, typing)
  api.nvim_win_set_config(M.win, config)
  local row, height = config.row + config.height + 1, math.max(rows - 1, 1)
  lower.place({ relative = "editor", row = row, col = config.col, height = height })
end

--- Shows lines for a permission or form. The caller fills the buffer and sets its keys in fill.
---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
---@param hints string[] hints about keys for a user in the float, the most useful first
---@param fill fun(buf: integer, new: boolean): string[] returns the lines
---@param answers acp.Answer[]? options, which are always visible
function M.show(s, p, focus, hints, fill, answers)
  watch_keys()
  require("nvim-acp.ui.style").define()
  local same = M.id == p.id and M.open()
  if not same then
    refused = 0
    M.close()
    M.buf = api.nvim_create_buf(false, true)
    require("nvim-acp.ui.bufname").float(M.buf, p.form and "Question" or "Permission")
    require("nvim-acp.ui.fixed").fix(M.buf)
    vim.bo[M.buf].filetype = "acp-permission"
    vim.bo[M.buf].tabstop = 4
    require("nvim-acp.ui.hang")[p.form and "form" or "buffer"](M.buf)
  end
  if not same or M.version ~= p.version then
    M.changed = vim.uv.now()
  end
  M.id, M.version, M.hints = p.id, p.version, hints

  local lines = fill(M.buf, not same)
  layout(s, p, lines, answers or {})
  require("nvim-acp.permission.scroll").update(M.win, s)
  if (focus or may_take_focus(s)) and vim.fn.getcmdwintype() == "" then
    note_from()
    entered_by_us = true
    local ok, err = pcall(api.nvim_set_current_win, M.win)
    entered_by_us = false
    if not ok then
      error(err, 0)
    end
    vim.cmd.stopinsert()
  end
  M.foot()
  vim.schedule(more)
end

--- Returns the key that leads to a request from the current window.
---@return string
function M.reach()
  local key = require("nvim-acp.config").options.keys.focus_permission
  local in_chat = vim.b.acp_session ~= nil and vim.b.acp_terminal == nil -- only there it is mapped
  return in_chat and key or require("nvim-acp.ui.keys").to("AcpPermit")
end

--- Says below what the keys do, for one who is elsewhere the one that leads here, and sets the level.
function M.foot()
  if not M.open() then
    return
  end
  local reach = (" %s answer "):format(M.reach())
  local early = M.entered() and refused > 0 and vim.uv.now() - refused < told
  local hints = early and { "too soon: press it again" } or M.hints
  local footer = M.entered() and fitting(hints, api.nvim_win_get_width(M.win)) or reach
  local config = { footer = { { footer, early and "AcpWarning" or "AcpDone" } }, zindex = level() }
  local answers = require("nvim-acp.permission.answers")
  if answers.win then
    answers.place(config)
    config.footer = nil
  end
  api.nvim_win_set_config(M.win, config)
end

return M
