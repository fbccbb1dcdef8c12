--- What `.` repeats: the last operator with its motion.
local M = {}

local api = vim.api

--- Has Neovim remember a motion for `.`, whose operator does nothing now: the caller sets 'operatorfunc' to one that
--- does something. Cursor, view and the marks of the last change stay.
---@param motion fun() types |g@| and the motion in the current buffer
function M.remember(motion)
  local buf, view = api.nvim_get_current_buf(), vim.fn.winsaveview()
  local from, to = api.nvim_buf_get_mark(buf, "["), api.nvim_buf_get_mark(buf, "]")
  vim.o.operatorfunc = "v:lua.require'nvim-acp.ui.dot'.nothing"
  motion()
  pcall(api.nvim_buf_set_mark, buf, "[", from[1], from[2], {})
  pcall(api.nvim_buf_set_mark, buf, "]", to[1], to[2], {})
  vim.fn.winrestview(view)
end

--- The operator that does nothing.
function M.nothing() end

return M
