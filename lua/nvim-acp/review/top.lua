--- Virtual lines above the first line of a text, in windows that begin with it: Neovim has them out of view until
--- somebody scrolls to them, and forgets about them when they become fewer.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.hunks")

local function marked(buf)
  return #api.nvim_buf_get_extmarks(buf, ns, 0, { 0, -1 }, { limit = 1 }) > 0
end

-- Returns how many virtual lines are above the first line of a window, and how many of them it has room for.
local function above(win)
  local height = api.nvim_win_text_height(win, { start_row = 0, end_row = 0 })
  local room = vim.fn.getwininfo(win)[1].height - (height.all - height.fill)
  return height.fill, math.min(height.fill, room)
end

-- Shows them in a window, if it is at the top.
local function show(win)
  local count = above(win)
  if count > 0 then
    require("nvim-acp.ui.above").watch(api.nvim_win_get_buf(win), 0)
    require("nvim-acp.review.reveal").above(count, { win })
  end
end

-- Reports whether a window shows all of them that it has room for.
local function whole(win)
  local _, seen = above(win)
  return api.nvim_win_call(win, vim.fn.winsaveview).topfill >= seen
end

--- Changes the marks of a buffer. Windows at its top that have shown all virtual lines above its first line show all of
--- them then; one in which the user has scrolled past them stays as it is. None has room for lines that are gone.
---@param buf integer
---@param change fun()
function M.hold(buf, change)
  local was = marked(buf)
  local wins = vim.tbl_filter(function(win)
    return not was or whole(win)
  end, vim.fn.win_findbuf(buf))
  change()
  if was or marked(buf) then
    vim.tbl_map(show, wins)
  end
  require("nvim-acp.ui.above").settle(buf)
end

-- Shows them in the current window, which begins to show a buffer and has no view of its own yet.
local function entered(args)
  local win = api.nvim_get_current_win()
  vim.schedule(function() -- Neovim sets the view after the event
    local shown = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == args.buf
    if shown and marked(args.buf) then
      show(win)
    end
  end)
end

--- Has windows that begin to show a buffer show them as well.
function M.watch()
  local group = api.nvim_create_augroup("nvim-acp.review.top", {})
  api.nvim_create_autocmd("BufWinEnter", { group = group, callback = entered })
end

return M
