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

-- Reports whether a file is one that Neovim has another program read: an archive, or what is compressed.
local function foreign(path)
  local events = { { event = { "BufReadCmd" } }, { event = { "BufReadPre" }, group = "gzip" } }
  for _, which in ipairs(events) do
    local ok, found = pcall(vim.api.nvim_get_autocmds, which) -- there may be no such group
    if ok and require("nvim-acp.files.access").meant(found, path) then
      return true
    end
  end
  return false
end

-- Reports whether Neovim would look at something else than a regular file for the swap file of a path, which may
-- never end.
local function odd_swap(path)
  for _, dir in ipairs(vim.opt.directory:get()) do
    if dir == "." or vim.startswith(dir, "./") then
      local folder = vim.fs.dirname(path) .. dir:sub(2)
      for name, kind in vim.fs.dir(folder) do
        local swap = vim.startswith(name, "." .. vim.fs.basename(path) .. ".s") and name:match("%.s[a-w][a-z]$")
        if swap and kind ~= "file" then
          return true
        end
      end
    end
  end
  return false
end

--- Loads the buffer of a regular file because an agent asks for it: without its modelines, without a question, and not
--- where another program would read it.
---@param buf integer
---@param swap boolean whether it gets a swap file
---@param quiet boolean? no program is started for its type, nor is anything of 'runtimepath' run
---@return boolean loaded
---@return string? problem
function M.unasked(buf, swap, quiet)
  local path = vim.api.nvim_buf_get_name(buf)
  if not vim.api.nvim_buf_is_loaded(buf) and not regular(path) then
    return false, "it is no regular file"
  elseif not vim.api.nvim_buf_is_loaded(buf) and foreign(path) then
    return false, "another program would read it"
  elseif not vim.api.nvim_buf_is_loaded(buf) and odd_swap(path) then
    return false, "there is something else in place of its swap file"
  end
  local modeline, messages, ignored = vim.o.modeline, vim.o.shortmess, vim.o.eventignore
  vim.o.modeline = false
  if quiet then
    vim.opt.eventignore:append({ "FileType", "Syntax" })
  end
  vim.opt.shortmess:append("A") -- a file that another Neovim edits is read-only
  local ok, problem = pcall(require("nvim-acp.ui.ex").run, {
    cmd = "call",
    args = { ("bufload(%d)"):format(buf) },
    mods = { noswapfile = not swap },
  })
  vim.o.modeline, vim.o.shortmess, vim.o.eventignore = modeline, messages, ignored
  vim.bo[buf].modeline = modeline
  return ok, not ok and tostring(problem) or nil
end

return M
