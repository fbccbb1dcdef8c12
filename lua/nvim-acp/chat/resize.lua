--- Adjusts the chat when windows change their size.
local M = {}

local api = vim.api

-- When the screen shrinks Neovim shrinks only the last window, which is the chat's.
local function fit(win)
  local chat = require("nvim-acp.chat")
  if api.nvim_win_get_config(win).relative == "" and api.nvim_win_get_width(win) < 20 then
    api.nvim_win_set_width(win, chat.side_width())
  end
  if api.nvim_win_get_cursor(win)[1] == api.nvim_buf_line_count(api.nvim_win_get_buf(win)) then
    api.nvim_win_call(win, function()
      vim.cmd("normal! zb") -- lines need more rows now
    end)
  end
end

local watching = false

--- Watches the sizes of windows. Called with the first chat.
function M.watch()
  if watching then
    return
  end
  watching = true
  api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    group = api.nvim_create_augroup("nvim-acp.resize", {}),
    callback = function(event)
      local chat = require("nvim-acp.chat")
      local tab = api.nvim_get_current_tabpage()
      for _, s in pairs(require("nvim-acp.state").sessions) do
        local wins = require("nvim-acp.state.buffers").windows(s, "transcript", tab)
        if event.event == "VimResized" then
          vim.tbl_map(fit, wins)
        end
        if #wins > 0 then
          require("nvim-acp.ui.align").fit(api.nvim_win_get_buf(wins[1]))
          chat.refresh(s)
        end
      end
      require("nvim-acp.permission").refit()
    end,
  })
end

return M
