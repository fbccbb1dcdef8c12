--- Keys of the chat's buffers.
local M = {}

local function map(buf, mode, key, desc, fn)
  if key then
    vim.keymap.set(mode, key, fn, { buffer = buf, desc = "nvim-acp: " .. desc, nowait = true })
  end
end

local function stop(s)
  return function()
    if s.state == "busy" or s.state == "waiting" or s.state == "cancelling" then
      require("nvim-acp.prompt").cancel(s)
    elseif vim.api.nvim_get_mode().mode:sub(1, 1) == "i" then
      vim.cmd.stopinsert()
    end
  end
end

local function focus_permission()
  require("nvim-acp.permit").focus()
end

---@param s acp.Session
---@param buf integer
function M.prompt(s, buf)
  local keys = require("nvim-acp.config").options.keys
  local function submit()
    require("nvim-acp.prompt").submit(s)
  end
  map(buf, "n", keys.send_normal, "send the prompt", submit)
  map(buf, "i", keys.send_insert, "send the prompt", submit)
  map(buf, "n", keys.queue, "waiting prompts", function()
    require("nvim-acp.prompt").pick_queue(s)
  end)
  map(buf, { "n", "i" }, keys.stop, "stop the turn", stop(s))
  map(buf, { "n", "i" }, keys.focus_permission, "go to the permission", focus_permission)
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    buffer = buf,
    callback = function()
      vim.schedule(function()
        require("nvim-acp.winbar").draw(s)
      end)
    end,
  })
end

local function jump(s, kind, forward)
  return function()
    local lines = require("nvim-acp.view").lines_of(s, kind)
    local here = vim.api.nvim_win_get_cursor(0)[1]
    local target
    for _, line in ipairs(lines) do
      if forward and line > here then
        target = line
        break
      elseif not forward and line < here then
        target = line
      end
    end
    if target then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { target, 0 })
    end
  end
end

local function toggle(s)
  return function()
    local id, block = require("nvim-acp.view").at(s, vim.api.nvim_win_get_cursor(0)[1])
    if block and block.data and block.data.folds then
      require("nvim-acp.state").notify(s, "toggle", { block = id })
    end
  end
end

--- Opens what stands under the cursor: a terminal, a file at its line, the whole of a long block.
local function open(s)
  return function()
    local id, block, row = require("nvim-acp.view").at(s, vim.api.nvim_win_get_cursor(0)[1])
    local data = block and block.data
    if not data then
      return
    end
    local terminal = data.terminals and data.terminals[#data.terminals]
    local place = data.places and (data.places[tostring(row)] or data.places[tostring(data.head)])
    if terminal then
      require("nvim-acp.terminal").open(terminal)
    elseif place then
      require("nvim-acp.buffer").go(place.path, place.line)
    else
      require("nvim-acp.state").notify(s, "whole", { block = id })
    end
  end
end

---@param s acp.Session
---@param buf integer
function M.transcript(s, buf)
  local keys = require("nvim-acp.config").options.keys
  map(buf, "n", keys.stop, "stop the turn", stop(s))
  map(buf, "n", keys.focus_permission, "go to the permission", focus_permission)
  map(buf, "n", keys.open, "open what is under the cursor", open(s))
  map(buf, "n", "gd", "open what is under the cursor", open(s))
  for _, key in ipairs({ keys.toggle, "za", "zo", "zc" }) do
    map(buf, "n", key, "fold or unfold", toggle(s))
  end
  map(buf, "n", keys.next_prompt, "next prompt", jump(s, "user", true))
  map(buf, "n", keys.prev_prompt, "previous prompt", jump(s, "user", false))
  map(buf, "n", keys.next_call, "next call", jump(s, "call", true))
  map(buf, "n", keys.prev_call, "previous call", jump(s, "call", false))
  map(buf, "n", keys.close, "close the chat's windows", function()
    require("nvim-acp.chat").hide(s)
  end)
end

return M
