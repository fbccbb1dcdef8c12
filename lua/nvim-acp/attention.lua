--- Calls the user when something waits for them and they are not looking.
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

local function call(text)
  local notify = require("nvim-acp.config").options.notify
  require("nvim-acp.message").info(text)
  if focused == false and notify.terminal then
    terminal_notify(text)
  end
  if focused == false and notify.bell then
    vim.fn.chansend(vim.v.stderr, "\7")
  end
end

---@param s acp.Session
---@param name string event
---@param data table
function M.event(s, name, data)
  local notify = require("nvim-acp.config").options.notify
  if require("nvim-acp.chat").shown(s) and focused ~= false then
    return
  end
  if name == "AcpPermission" and notify.permission then
    call(("%s asks: %s (:AcpPermit)"):format(s.agent_title, data.title))
  elseif name == "AcpTurnEnd" and notify.turn_end then
    call(("%s has finished: %s"):format(s.agent_title, s.title ~= "" and s.title or data.stop_reason))
  end
end

return M
