--- The one door for text of an agent, or of a project that is not trusted, in a buffer: no modeline, no filetype, so
--- neither plugins for one nor tree-sitter nor a language server, and a name of ours. Colours are those of Vim's syntax
--- files, which run nothing that the text says.
local M = {}

local api = vim.api

--- Returns a hidden buffer with lines, with the key that shows its keys.
---@param kind string what it is, in its name
---@param name string? a file's name, of which the plain characters are shown
---@param lines string[]
---@param buftype ""|"nofile"|"acwrite" with "acwrite" the user may edit it
---@return integer
function M.buffer(kind, name, lines, buftype)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].buftype, vim.bo[buf].swapfile, vim.bo[buf].modeline = buftype, false, false
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modified = false
  if buftype ~= "acwrite" then
    require("nvim-acp.ui.fixed").fix(buf)
  end
  local clean = name and vim.fs.basename(name):gsub("[^%w._:-]", "_"):sub(1, 80) or "nvim-acp"
  require("nvim-acp.ui.keys").map(buf)
  require("nvim-acp.ui.bufname").set(buf, { kind:gsub("^%l", string.upper), clean })
  return buf
end

--- Colours a buffer as text of a filetype.
---@param buf integer
---@param filetype string?
function M.colour(buf, filetype)
  vim.bo[buf].syntax = (filetype or ""):match("^[%w_.-]+$") or ""
end

--- Returns the filetype of a file by its name only.
---@param path string
---@return string
function M.type_of(path)
  local ok, found = pcall(vim.filetype.match, { filename = vim.fs.basename(path) })
  return ok and found or ""
end

return M
