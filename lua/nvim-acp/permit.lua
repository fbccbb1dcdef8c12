--- Permission floats: shown oldest first, answered in any order, never by accident.
local M = {}

local api = vim.api
local state = require("nvim-acp.state")
local ns = api.nvim_create_namespace("nvim-acp.permit")

local quiet = 300 -- milliseconds without any key before a float's keys act

---@class acp.Permission what the host sends
---@field id string
---@field version integer counts what is shown; an answer to an older one is dropped by the host
---@field title string "claude wants to run a command"
---@field label string right of the title
---@field lines string[]
---@field marks any[]
---@field whole boolean the end must have been on screen before it can be allowed
---@field options { id: string, name: string, kind: string }[]
---@field why string why the rules left it to the user
---@field suggest string[] rules that would allow it
---@field request table for the user's function

---@class acp.PermissionFloat
---@field win integer?
---@field buf integer?
---@field id string? permission shown
---@field version integer?
---@field body integer? lines above the options
---@field changed integer when what is shown last changed, in milliseconds of uv.now()
---@field ended boolean whether the end of the text was on screen
---@field hidden table<string, true> permissions put off

---@type acp.PermissionFloat
local float = { changed = 0, ended = false, hidden = {} }
local last_key, previous_key = 0, 0
local asked = {} ---@type table<string, true> already given to the user's function

local function watch_keys()
  vim.on_key(function()
    previous_key, last_key = last_key, vim.uv.now()
  end, ns)
end

--- Whether the keys of the float act: nothing was typed for a while since what is shown last changed.
local function live()
  return vim.uv.now() - math.max(previous_key, float.changed) >= quiet
end

--- All pending permissions of all sessions, oldest first.
---@return { s: acp.Session, p: acp.Permission }[]
function M.pending()
  local all = {}
  for _, id in ipairs(state.order) do
    for _, p in ipairs(state.sessions[id].permissions) do
      table.insert(all, { s = state.sessions[id], p = p })
    end
  end
  table.sort(all, function(a, b)
    return a.p.at < b.p.at
  end)
  return all
end

local function close()
  if float.win and api.nvim_win_is_valid(float.win) then
    api.nvim_win_close(float.win, true)
  end
  if float.buf and api.nvim_buf_is_valid(float.buf) then
    api.nvim_buf_delete(float.buf, { force = true })
  end
  float.win, float.buf, float.id = nil, nil, nil
end

---@param s acp.Session
---@param p acp.Permission
---@param option string id
---@param by "user"|"function"
local function send(s, p, option, by)
  state.notify(s, "permit", { id = p.id, option = option, version = p.version, by = by })
  s.permissions = vim.tbl_filter(function(other)
    return other.id ~= p.id
  end, s.permissions)
  M.update(s)
  require("nvim-acp.chat").refresh(s)
end

-- Letters go to a kind only where exactly one option has it.
local letters = { allow_once = "a", allow_always = "A", reject_once = "r", reject_always = "R" }

local function letter_of(p, option)
  local same = vim.tbl_filter(function(o)
    return o.kind == option.kind
  end, p.options)
  return #same == 1 and letters[option.kind] or nil
end

local function choose(s, p, option)
  local allows = option.kind:match("^allow") or not option.kind:match("^reject")
  if not live() then
    return
  end
  if allows and p.whole and not float.ended then
    require("nvim-acp.message").warn("read it to the end first")
    return
  end
  send(s, p, option.id, "user")
end

local function step(by)
  local all = M.pending()
  for i, item in ipairs(all) do
    if item.p.id == float.id then
      local other = all[(i - 1 + by) % #all + 1]
      return M.show(other.s, other.p, true)
    end
  end
end

local function keys(s, p, buf)
  local function map(key, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true })
  end
  for i, option in ipairs(p.options) do
    local function answer()
      choose(s, p, option)
    end
    if i <= 9 then
      map(tostring(i), answer)
    end
    local letter = letter_of(p, option)
    if letter then
      map(letter, answer)
    end
  end
  local function later()
    float.hidden[p.id] = true
    close()
  end
  map("<Esc>", later)
  map("q", later)
  map("n", function()
    step(1)
  end)
  map("p", function()
    step(-1)
  end)
  map("+", function()
    require("nvim-acp.rules").make(s, p)
  end)
  map("d", function()
    state.notify(s, "details", { id = p.id, option = "", version = p.version })
  end)
  for _, key in ipairs({ "i", "I", "o", "O", "c", "x", "s", "C", "S", "X", "D" }) do
    map(key, "<Nop>")
  end
end

local function option_lines(p)
  local lines = {}
  for i, option in ipairs(p.options) do
    table.insert(lines, ("  %s  %s  %s"):format(i <= 9 and i or " ", letter_of(p, option) or " ", option.name))
  end
  return lines
end

local function fill(p, buf)
  local lines = vim.list_extend({}, p.lines)
  table.insert(lines, "")
  local first = #lines
  vim.list_extend(lines, option_lines(p))
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local m = p.marks or {}
  for i = 1, #m, 4 do
    local opts = m[i + 2] < 0 and { line_hl_group = m[i + 3] } or { end_col = m[i + 2], hl_group = m[i + 3] }
    opts.strict = false
    api.nvim_buf_set_extmark(buf, ns, m[i], math.max(m[i + 1], 0), opts)
  end
  for i = first, #lines - 1 do
    api.nvim_buf_set_extmark(buf, ns, i, 0, { end_col = math.min(8, #lines[i + 1]), hl_group = "AcpKey" })
  end
  return lines
end

local function place(s, lines, width)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / math.max(width - 2, 1)))
  end
  height = math.max(1, math.min(height, math.floor(vim.o.lines * 0.8) - 2))
  local over = require("nvim-acp.chat").windows(s, "transcript", api.nvim_get_current_tabpage())[1]
  local config = { relative = "editor", width = width, height = height, border = "rounded", zindex = 60 }
  if over then
    local pos = api.nvim_win_get_position(over)
    config.row = math.max(pos[1] + api.nvim_win_get_height(over) - height - 2, 0)
    config.col = math.max(pos[2] + math.floor((api.nvim_win_get_width(over) - width - 2) / 2), 0)
  else
    config.row = math.max(vim.o.lines - vim.o.cmdheight - height - 3, 0)
    config.col = math.max(vim.o.columns - width - 2, 0)
  end
  return config
end

local function dress(p, config)
  local all = M.pending()
  local label = p.label ~= "" and (" " .. p.label) or ""
  if #all > 1 then
    for i, item in ipairs(all) do
      if item.p.id == p.id then
        label = ("%s  %d of %d"):format(label, i, #all)
      end
    end
  end
  local focus = require("nvim-acp.config").options.keys.focus_permission
  local entered = float.win and api.nvim_get_current_win() == float.win
  local footer = entered and " + rule  d details  n next  esc later " or (" %s answer "):format(focus or ":AcpPermit")
  config.title = { { (" %s%s "):format(p.title, label), "AcpBorder" } }
  config.footer = { { footer, "AcpDone" } }
  return config
end

-- Focus is taken only from someone who is reading this transcript and has not touched a key for a second.
local function may_take_focus(s)
  local win = api.nvim_get_current_win()
  local reading = vim.tbl_contains(require("nvim-acp.chat").windows(s, "transcript"), win)
  return reading and api.nvim_get_mode().mode == "n" and vim.uv.now() - last_key >= 1000
end

local function saw_end()
  if float.win and api.nvim_win_is_valid(float.win) and float.body then
    if vim.fn.line("w$", float.win) >= float.body then
      float.ended = true
    end
  end
end

--- Shows one permission.
---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
function M.show(s, p, focus)
  local same = float.id == p.id and float.win and api.nvim_win_is_valid(float.win)
  if same and float.version == p.version and not focus then
    return
  end
  if not same then
    close()
    float.buf = api.nvim_create_buf(false, true)
    vim.bo[float.buf].filetype = "acp-permission"
    float.ended = false
  end
  if not same or float.version ~= p.version then
    float.changed = vim.uv.now()
    float.ended = false
  end
  float.id, float.version = p.id, p.version
  float.hidden[p.id] = nil
  local lines = fill(p, float.buf)
  float.body = #p.lines
  keys(s, p, float.buf)
  local widest = api.nvim_strwidth(p.title) + 24
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line) + 2)
  end
  local config = place(s, lines, math.max(20, math.min(widest, math.floor(vim.o.columns * 0.8))))
  if same then
    api.nvim_win_set_config(float.win, dress(p, config))
  else
    config.style = "minimal"
    float.win = api.nvim_open_win(float.buf, false, dress(p, config))
    vim.wo[float.win].winhighlight = "FloatBorder:AcpBorder,NormalFloat:Normal"
    vim.wo[float.win].wrap = true
    vim.wo[float.win].winfixbuf = true
  end
  if (focus or may_take_focus(s)) and vim.fn.getcmdwintype() == "" then
    api.nvim_set_current_win(float.win)
    vim.cmd.stopinsert()
    api.nvim_win_set_config(float.win, dress(p, config))
  end
  vim.schedule(saw_end)
end

local function ask_function(s, p)
  local fn = require("nvim-acp.config").options.permission
  if not fn or asked[p.id] then
    return false
  end
  asked[p.id] = true
  local request = vim.tbl_extend("force", p.request, { id = p.id, session = s.id, agent = s.agent, cwd = s.cwd })
  local ok, choice = pcall(fn, request)
  if not ok then
    local why = "the permission function: " .. tostring(choice)
    require("nvim-acp.message").error(why)
    require("nvim-acp.events").emit("AcpError", { session = s.id, message = why })
    return false
  end
  for _, option in ipairs(p.options) do
    if option.id == choice then
      send(s, p, choice, "function")
      return true
    end
  end
  if choice ~= nil then
    local why = ("the permission function answered %s, which is not offered"):format(vim.inspect(choice))
    require("nvim-acp.message").error(why)
    require("nvim-acp.events").emit("AcpError", { session = s.id, message = why })
  end
  return false
end

--- Brings the floats in line with what is pending.
---@param s acp.Session
function M.update(s)
  if not float.watching then
    float.watching = true
    watch_keys()
    require("nvim-acp.look").define()
    api.nvim_create_autocmd({ "WinScrolled", "CursorMoved" }, { callback = saw_end })
  end
  for _, p in ipairs(vim.list_extend({}, s.permissions)) do
    if ask_function(s, p) then
      return -- send() comes back here
    end
  end
  local all = M.pending()
  for _, item in ipairs(all) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, false)
    end
  end
  local entered = float.win and api.nvim_get_current_win() == float.win
  close()
  for _, item in ipairs(all) do
    if not float.hidden[item.p.id] then
      return M.show(item.s, item.p, entered or false)
    end
  end
end

--- Goes to the oldest permission, also a hidden one.
function M.focus()
  local all = M.pending()
  if #all == 0 then
    return require("nvim-acp.message").info("nothing is waiting for you")
  end
  for _, item in ipairs(all) do
    if item.p.id == float.id then
      return M.show(item.s, item.p, true)
    end
  end
  M.show(all[1].s, all[1].p, true)
end

--- Answers by option id or kind.
---@param option string
---@param opts { session: string?, id: string? }
---@return boolean
function M.answer(option, opts)
  for _, item in ipairs(M.pending()) do
    local mine = opts.id == nil or opts.id == item.p.id
    if opts.session then
      mine = mine and state.find(opts.session) == item.s
    end
    if mine then
      for _, by in ipairs({ "id", "kind" }) do
        for _, o in ipairs(item.p.options) do
          if o[by] == option then
            send(item.s, item.p, o.id, "user")
            return true
          end
        end
      end
      require("nvim-acp.message").error(("%q is not offered"):format(option))
      return false
    end
  end
  return false
end

---@param s acp.Session
function M.forget(s)
  s.permissions = {}
  M.update(s)
end

return M
