--- Files as arguments of the user commands.
local M = {}

--- Returns the path that an argument names: %, # and variables stand there for what they do in Neovim's commands.
--- But no command is run. Why it names none is said.
---@param text string
---@return string?
function M.path(text)
  local quoted = text:gsub("\\?`", "\\`")
  local ok, path = pcall(vim.fn.expandcmd, quoted, { errmsg = true })
  if ok then
    return vim.fn.fnamemodify(path, ":p")
  end
  require("nvim-acp.ui.message").error((path:gsub("^.-(E%d+:)", "%1")))
end

--- Completes files: what would stand for others is escaped.
---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_map(function(name)
    return (name:gsub("[%%#$`\\<]", "\\%0"))
  end, vim.fn.getcompletion(lead, "file"))
end

return M
