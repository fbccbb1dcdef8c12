--- Virtual lines above the first line of a text and below its last one, which Neovim does not scroll to by itself.
local M = {}

local api = vim.api

--- Shows the virtual lines above the first line of a text in windows that are at the top.
---@param count integer
---@param wins integer[]
function M.above(count, wins)
  for _, win in ipairs(wins) do
    api.nvim_win_call(win, function()
      if vim.fn.winsaveview().topline == 1 then
        vim.fn.winrestview({ topline = 1, topfill = count })
      end
    end)
  end
end

--- Shows the virtual lines above the cursor's line where that is the window's first, as many as there is room for.
---@param count integer
function M.before(count)
  local line = vim.fn.line(".")
  if vim.fn.line("w0") == line then -- else they are between others
    local height = api.nvim_win_text_height(0, { start_row = line - 1, end_row = line - 1 })
    local room = math.max(api.nvim_win_get_height(0) - (height.all - height.fill), 0)
    vim.fn.winrestview({ topline = line, topfill = math.min(count, room) })
  end
end

--- Scrolls the current window until all virtual lines below the last line are shown, or that is the first one.
function M.below()
  local last, height, top = api.nvim_buf_line_count(0), api.nvim_win_get_height(0), vim.fn.winsaveview().topline
  while top < last and api.nvim_win_text_height(0, { start_row = top - 1 }).all > height do
    top = top + 1
  end
  vim.fn.winrestview({ topline = top })
end

return M
