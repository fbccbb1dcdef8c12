--- The one door to buffers of files by their names, which agents and projects choose: a name is never part of a command
--- or a pattern, and only regular files are loaded.
local M = {}

-- Reports whether a path is that of a regular file.
local function regular(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type == "file"
end

--- Returns the buffer of a path, which is not loaded by this.
---@param path string absolute
---@return integer
function M.add(path)
  return vim.fn.bufadd(path)
end

--- Loads the buffer of a regular file at the user's wish, as Neovim does.
---@param buf integer
---@return boolean loaded
function M.plain(buf)
  if not vim.api.nvim_buf_is_loaded(buf) and not regular(vim.api.nvim_buf_get_name(buf)) then
    return false
  end
  vim.fn.bufload(buf)
  return true
end

--- Loads the buffer of a regular file because an agent asks for it: without its modelines and without a question.
---@param buf integer
---@param swap boolean whether it gets a swap file
---@return boolean loaded
---@return string? problem
function M.unasked(buf, swap)
  if not vim.api.nvim_buf_is_loaded(buf) and not regular(vim.api.nvim_buf_get_name(buf)) then
    return false, "it is no regular file"
  end
  local modeline, messages = vim.o.modeline, vim.o.shortmess
  vim.o.modeline = false
  vim.opt.shortmess:append("A") -- a file that another Neovim edits is read-only
  local ok, problem = pcall(require("nvim-acp.ui.ex").run, {
    cmd = "call",
    args = { ("bufload(%d)"):format(buf) },
    mods = { noswapfile = not swap },
  })
  vim.o.modeline, vim.o.shortmess = modeline, messages
  vim.bo[buf].modeline = modeline
  return ok, not ok and tostring(problem) or nil
end

return M
