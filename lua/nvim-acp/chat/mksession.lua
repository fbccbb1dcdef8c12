--- Session files of Neovim's with chats in them.
local M = {}

--- Gives each of our buffers in a session file a name of its own: that of a chat which is in two tab pages, or in the
--- Neovim that reads the file, would be taken, which is an error.
---@param path string
function M.written(path)
  local text = require("nvim-acp.ui.disk").read(path)
  local lines, changed = vim.split(text or "", "\n"), false
  for i, line in ipairs(lines) do
    if lines[i - 1] == "enew" and line:match("^file .*·") then
      lines[i], changed = ("%s-%d"):format(line, i), true
    end
  end
  if changed then
    vim.fn.writefile(lines, path, "b")
  end
end

vim.api.nvim_create_autocmd("SessionWritePost", {
  group = vim.api.nvim_create_augroup("nvim-acp.mksession", {}),
  callback = function()
    M.written(vim.v.this_session)
  end,
})

return M
