--- The time of its file that Neovim has noted for a buffer: of another one it asks before it overwrites the file, also
--- where no autocommand could prepare that.
local M = {}

local api = vim.api
local group = api.nvim_create_augroup("nvim-acp.mtime", { clear = true })

--- Has Neovim note the time that a buffer's file has now. Neovim does so when a command has written the buffer in its
--- stead; this one writes nothing, and where it cannot run, as within other autocommands, 'buftype' keeps Neovim from
--- writing.
---@param buf integer
---@return boolean whether it is noted
function M.note(buf)
  if vim.bo[buf].buftype ~= "" then
    return false
  end
  local noted = false
  api.nvim_create_autocmd("BufWriteCmd", {
    group = group,
    buffer = buf,
    callback = function()
      noted = true
    end,
  })
  local ignored = vim.o.eventignore
  vim.o.eventignore = "OptionSet"
  vim.bo[buf].buftype = "acwrite"
  pcall(api.nvim_buf_call, buf, function()
    vim.cmd("silent! keepalt lockmarks write!")
  end)
  vim.bo[buf].buftype = ""
  vim.o.eventignore = ignored
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  return noted
end

return M
