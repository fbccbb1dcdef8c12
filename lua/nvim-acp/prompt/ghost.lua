--- What the agent expects as the next prompt, as dim text in an empty one; <Tab> takes it.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.ghost")

---@type table<integer, boolean> prompts in which <Tab> is ours; elsewhere it is whatever the user has it for
local mapped = {}

local function take(buf, text)
  api.nvim_buf_set_lines(buf, 0, -1, false, { text })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_set_cursor(win, { 1, #text })
  end
end

--- Shows the suggestion if the prompt is empty and nothing runs, else removes it.
---@param s acp.Session
function M.draw(s)
  local buf = require("nvim-acp.state.buffers").prompt(s)
  if not buf then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local empty = api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  local text = empty and s.state == "idle" and #s.queue == 0 and s.suggestion or nil
  if mapped[buf] then
    for _, mode in ipairs({ "n", "i" }) do
      pcall(vim.keymap.del, mode, "<Tab>", { buffer = buf })
    end
    mapped[buf] = nil
  end
  if not text then
    return
  end
  local chunks = { { text .. "  ", "AcpDone" }, { "<Tab>", "AcpKey" } }
  api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_text = chunks, virt_text_pos = "overlay" })
  mapped[buf] = true
  for _, mode in ipairs({ "n", "i" }) do
    vim.keymap.set(mode, "<Tab>", function()
      take(buf, text)
    end, { buffer = buf, desc = "take the suggested prompt" })
  end
end

return M
