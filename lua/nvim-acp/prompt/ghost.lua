--- What the agent expects as the next prompt, as dim text in an empty one; <Tab> takes it.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.ghost")

local desc = "take the suggested prompt"

local function empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

-- Returns what <Tab> is mapped to in a buffer of its own, {} if to nothing.
local function mapping(buf)
  return api.nvim_buf_call(buf, function()
    local found = vim.fn.maparg("<Tab>", "i", false, true)
    return found.buffer == 1 and found or {}
  end)
end

-- Takes the suggestion. What was typed since it was shown stays, and the key is the user's own then.
local function take(buf, text)
  if not empty(buf) then
    vim.keymap.del("i", "<Tab>", { buffer = buf })
    return api.nvim_feedkeys(vim.keycode("<Tab>"), "mi", false)
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, { text })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_set_cursor(win, { 1, #text })
  end
end

--- Shows the suggestion if the prompt is empty and nothing runs, else removes it. <Tab> is ours only as long as it is
--- shown, in Insert mode, and if the buffer has no mapping of the user's.
---@param s acp.Session
function M.draw(s)
  local buf = require("nvim-acp.state.buffers").prompt(s)
  if not buf then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local text = empty(buf) and s.state == "idle" and #s.queue == 0 and s.suggestion or nil
  local now = mapping(buf)
  if now.desc == desc then
    vim.keymap.del("i", "<Tab>", { buffer = buf })
    now = {}
  end
  if not text then
    return
  end
  local chunks = { { text .. "  ", "AcpDone" } }
  if now.lhs == nil then
    table.insert(chunks, { "<Tab>", "AcpKey" })
    vim.keymap.set("i", "<Tab>", function()
      take(buf, text)
    end, { buffer = buf, desc = desc })
  end
  api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_text = chunks, virt_text_pos = "overlay" })
end

return M
