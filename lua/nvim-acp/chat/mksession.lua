--- Session files of Neovim's with chats in them.
local M = {}

--- Gives each of our buffers in a session file a name of its own: a chat in two tab pages would be named twice, which
--- is an error when the file is read.
---@param path string
function M.written(path)
  local text = require("nvim-acp.ui.disk").read(path)
  local lines, seen, changed = vim.split(text or "", "\n"), {}, false
  for i, line in ipairs(lines) do
    local ours = lines[i - 1] == "enew" and line:match("^file .*·")
    if ours and seen[line] then
      lines[i], changed = ("%s-%d"):format(line, i), true
    end
    seen[line] = true
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
