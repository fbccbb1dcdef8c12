--- The one door to buffers of files by their names, which agents and projects choose: a name is never part of a command
--- or a pattern, and only regular files are loaded.
local M = {}

-- Reports whether a path is that of a regular file.
local function regular(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and stat.type == "file"
end

--- Returns the buffer of a path, which is not loaded by this. Below the current directory it is shown as `:edit` shows
--- it, by its path from there.
---@param path string absolute
---@return integer
function M.add(path)
  local short = vim.fn.fnamemodify(path, ":.")
  local plain = short:find("^[%w_.]") and not short:find(":", 1, true) -- no "~", which means more, and no URL
  return vim.fn.bufadd(plain and vim.fs.joinpath(vim.fn.getcwd(), short) == path and short or path)
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

-- Reports whether Neovim would read something else than a regular file as the .editorconfig of a path, which may
-- never end.
local function odd_config(path)
  for dir in vim.fs.parents(path) do
    local stat = vim.uv.fs_stat(vim.fs.joinpath(dir, ".editorconfig"))
    if stat and stat.type ~= "file" then
      return true
    end
  end
  return false
end

-- Does for a buffer that was loaded quietly, when the user comes to it, what was left out then.
local function wake(buf)
  local group = vim.api.nvim_create_augroup("nvim-acp.wake." .. buf, {})
  vim.api.nvim_create_autocmd("BufEnter", {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(function() -- an event may also come of a window that is looked at for a moment
      if vim.api.nvim_get_current_buf() ~= buf or not pcall(vim.api.nvim_del_augroup_by_id, group) then
        return
      end
      vim.b[buf].editorconfig = nil
      local ok, editorconfig = pcall(require, "editorconfig")
      if ok and vim.g.editorconfig ~= false and not odd_config(vim.api.nvim_buf_get_name(buf)) then
        pcall(editorconfig.config, buf)
      end
      vim.api.nvim_exec_autocmds("FileType", { buffer = buf, modeline = false })
    end),
  })
end

--- Loads the buffer of a regular file because an agent asks for it: without its modelines, without a question, and not
--- where another program would read it.
---@param buf integer
---@param swap boolean whether it gets a swap file
---@param quiet boolean? no program is started for its type, nor is anything of 'runtimepath' run, before the user
--- comes to it
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
  local fresh = not vim.api.nvim_buf_is_loaded(buf)
  local modeline, messages, ignored = vim.o.modeline, vim.o.shortmess, vim.o.eventignore
  local configured = vim.b[buf].editorconfig
  if fresh and (quiet or odd_config(path)) then
    vim.b[buf].editorconfig = false
  end
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
  if fresh and ok and quiet then
    wake(buf)
  else
    vim.b[buf].editorconfig = configured
  end
  return ok, not ok and tostring(problem) or nil
end

return M
