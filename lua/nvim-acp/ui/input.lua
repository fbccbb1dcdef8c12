--- A small float in which the user types a line of text.
local M = {}

local api = vim.api

--- Asks for text in a small float at the cursor. All of Neovim's editing works in it, and nothing is blocked.
---@param title string
---@param value string?
---@param done fun(text: string)
function M.ask(title, value, done)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(value or "", "\n"))
  local win = api.nvim_open_win(buf, true, {
    relative = "cursor",
    row = 1,
    col = 0,
    width = math.max(30, math.min(60, vim.o.columns - 10)),
    height = math.max(1, math.min(6, api.nvim_buf_line_count(buf))),
    border = require("nvim-acp.ui.style").border(),
    title = " " .. title .. " ",
    footer = " <CR> done  <Esc> back ",
    style = "minimal",
    zindex = 70,
  })
  local function close()
    vim.cmd.stopinsert()
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
  end
  vim.keymap.set({ "n", "i" }, "<CR>", function()
    local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
    close()
    vim.schedule(function() -- when insert mode is over
      done(text)
    end)
  end, { buffer = buf })
  vim.keymap.set("n", "<Esc>", close, { buffer = buf, nowait = true })
  vim.cmd.startinsert({ bang = true })
end

return M
