--- Whether what a buffer has is its text: some plugins write labels into the lines, wait for a key, and take them out
--- again.
local M = {}

local api = vim.api

---@type table<integer, integer> by buffer that was shown then, its tick when Neovim last waited for the user
local ticks = {}

local function note()
  ticks = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    local buf = api.nvim_win_get_buf(win)
    ticks[buf] = api.nvim_buf_get_changedtick(buf)
  end
end

--- Returns why what a buffer has may not be its text: Lua or Vim script that waits in the middle of something has
--- changed it.
---@param buf integer
---@return string? reason
function M.unsettled(buf)
  local tick = ticks[buf]
  if not tick or tick == api.nvim_buf_get_changedtick(buf) then
    return nil
  end
  return require("nvim-acp.files.mode").scripted() and "a mapping" or nil
end

--- Follows what Neovim shows whenever it waits for the user.
function M.follow()
  note()
  local group = api.nvim_create_augroup("nvim-acp.settled", { clear = true })
  api.nvim_create_autocmd("SafeState", { group = group, callback = note })
end

return M
