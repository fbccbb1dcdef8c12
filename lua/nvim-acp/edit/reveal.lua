--- Shows what is drawn above the first line of a window, which Neovim leaves out.
local M = {}

local api = vim.api

--- Shows what is drawn above a place that begins at the top of a window, as far as the cursor stays there, until the
--- user scrolls. With more lines than there are Neovim would show none.
---@param p acp.Place
---@param row integer from 0, the first one of the place
---@param count integer of the lines above it
function M.show(p, row, count)
  p.fills = p.fills or {}
  for _, win in ipairs(vim.fn.win_findbuf(p.buf)) do
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      local spare = api.nvim_win_get_height(win) - (vim.fn.winline() - view.topfill) - vim.o.scrolloff
      local fill = math.max(math.min(count, spare), 1)
      if view.topline ~= row + 1 then
        return
      end
      local scrolled = p.fills[win] and view.topfill ~= p.fills[win]
      if view.topfill > count or view.topfill < fill and not scrolled then
        vim.fn.winrestview({ topline = row + 1, topfill = fill })
        p.fills[win] = fill
      end
    end)
  end
end

return M
