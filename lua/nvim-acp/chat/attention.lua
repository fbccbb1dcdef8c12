--- Notifies the user of pending requests and finished turns that they do not see.
local M = {}

local focused ---@type boolean? unknown counts as focused

vim.api.nvim_create_autocmd({ "FocusGained", "FocusLost" }, {
  group = vim.api.nvim_create_augroup("nvim-acp.attention", {}),
  callback = function(args)
    focused = args.event == "FocusGained"
  end,
})

local function terminal_notify(text)
  local clean = vim.fn.strcharpart(text:gsub("%c", " "), 0, 80)
  local sequence = ("\27]9;%s\7"):format(clean)
  if vim.api.nvim_ui_send then -- 0.12
    vim.api.nvim_ui_send(sequence)
  else
    vim.fn.chansend(vim.v.stderr, sequence)
  end
end

-- Notifies the user. A message that stays is ended by the function that is returned.
local function call(text, stay, shorter)
  local notify, over = require("nvim-acp.config").options.notify, nil
  if stay then
    over = require("nvim-acp.ui.message").stay(text, shorter)
  else
    require("nvim-acp.ui.message").news(text)
  end
  if focused == false and notify.terminal then
    terminal_notify(text)
  end
  if focused == false and notify.bell then
    vim.fn.chansend(vim.v.stderr, "\7")
  end
  return over
end

---@type table<string, fun()> for permissions that the user was notified of: ends the message
local called = {}

local function asks(s, id, title)
  local key = require("nvim-acp.ui.keys").to("AcpPermit")
  local text, shorter = ("%s asks: %s (%s)"):format(s.agent_title, title, key), s.agent_title .. " asks: " .. key
  called[id] = call(text, true, { shorter, "asked: " .. key })
end

-- The float of a permission is not visible from another tab: it moves to a tab with the chat, else one message says
-- that a request is pending.
local function other_tab()
  local float, permit = require("nvim-acp.permission.float"), require("nvim-acp.permission")
  if not float.open() or vim.api.nvim_win_get_tabpage(float.win) == vim.api.nvim_get_current_tabpage() then
    return
  end
  local notify = require("nvim-acp.config").options.notify.permission
  for _, item in ipairs(require("nvim-acp.permission.pending").list()) do
    if item.p.id == float.id and require("nvim-acp.state.buffers").shown(item.s) then
      float.close()
      return permit.show(item.s, item.p, false)
    elseif item.p.id == float.id and notify and not called[item.p.id] then
      asks(item.s, item.p.id, item.p.request.title or item.p.title)
    end
  end
end

vim.api.nvim_create_autocmd("TabEnter", {
  group = vim.api.nvim_create_augroup("nvim-acp.attention.tab", {}),
  callback = function()
    vim.schedule(other_tab)
  end,
})

---@param s acp.Session
---@param name string event
---@param data table
function M.event(s, name, data)
  if name == "AcpPermissionDone" and called[data.id] then
    called[data.id]()
    called[data.id] = nil
  end
  local notify = require("nvim-acp.config").options.notify
  if require("nvim-acp.state.buffers").shown(s) and focused ~= false then
    return
  end
  if name == "AcpPermission" and notify.permission then
    asks(s, data.id, data.title)
  elseif name ~= "AcpTurnEnd" or data.message == "" or not notify.turn_end then
    return
  elseif not require("nvim-acp.state").hidden(s) then
    call(data.message)
  end
end

return M
