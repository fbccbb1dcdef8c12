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

-- Runs a function without the question that Neovim asks where there is a swap file of the same file.
local function unasked(fn)
  local messages = vim.o.shortmess
  vim.opt.shortmess:append("A")
  local ok, problem = pcall(fn)
  vim.o.shortmess = messages
  return ok, problem
end

-- Gives a buffer a swap file, and says if there is one of another Neovim.
local function swap(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if odd_swap(path) then
    return
  end
  unasked(function()
    vim.bo[buf].swapfile = true
  end)
  local name = vim.fn.swapname(buf)
  if name ~= "" and not vim.endswith(name, ".swp") then
    local text = "%s has a swap file of another Neovim, which may have more of it: :help recovery"
    require("nvim-acp.ui.message").warn(text:format(vim.fs.basename(path)), { "there is a swap file: :help recovery" })
  end
end

-- Starts for a buffer that was loaded quietly what depends on its type.
local function start(buf)
  vim.b[buf].editorconfig = nil
  local ok, editorconfig = pcall(require, "editorconfig")
  if ok and vim.g.editorconfig ~= false and not odd_config(vim.api.nvim_buf_get_name(buf)) then
    pcall(editorconfig.config, buf)
  end
  vim.api.nvim_exec_autocmds("FileType", { buffer = buf, modeline = false })
end

-- Applies the modelines of the current buffer: Neovim does so after an autocommand, and says what is wrong with one.
local function read_modelines(group)
  vim.api.nvim_create_autocmd("User", { group = group, callback = function() end })
  pcall(vim.api.nvim_exec_autocmds, "User", { group = group, modeline = true })
end

-- Does for a buffer that was loaded, when the user comes to it, what was left out then.
local function wake(buf, quiet, swapfile)
  local name = "nvim-acp.wake." .. buf
  local group = vim.api.nvim_create_augroup(name, {})
  vim.api.nvim_create_autocmd("BufEnter", {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(function() -- an event may also come of a window that is looked at for a moment
      if vim.api.nvim_get_current_buf() ~= buf or not pcall(vim.api.nvim_get_autocmds, { group = name }) then
        return
      end
      group = vim.api.nvim_create_augroup(name, {})
      if quiet then
        start(buf)
      end
      read_modelines(group)
      if swapfile then
        swap(buf)
      end
      pcall(vim.api.nvim_del_augroup_by_id, group)
    end),
  })
end

--- Loads the buffer of a regular file because an agent asks for it: without its modelines, without a question, and not
--- where another program would read it.
---@param buf integer
---@param keep_swap boolean whether it has a swap file before the user comes to it
---@param quiet boolean? no program is started for its type, nor is anything of 'runtimepath' run, before the user
--- comes to it
---@return boolean loaded
---@return string? problem
function M.unasked(buf, keep_swap, quiet)
  local path = vim.api.nvim_buf_get_name(buf)
  if not vim.api.nvim_buf_is_loaded(buf) and not regular(path) then
    return false, "it is no regular file"
  elseif not vim.api.nvim_buf_is_loaded(buf) and foreign(path) then
    return false, "another program would read it"
  elseif not vim.api.nvim_buf_is_loaded(buf) and odd_swap(path) then
    return false, "there is something else in place of its swap file"
  end
  local fresh = not vim.api.nvim_buf_is_loaded(buf)
  local modeline, ignored = vim.o.modeline, vim.o.eventignore
  local configured = vim.b[buf].editorconfig
  if fresh and (quiet or odd_config(path)) then
    vim.b[buf].editorconfig = false
  end
  vim.o.modeline = false
  if quiet then
    vim.opt.eventignore:append({ "FileType", "Syntax" })
  end
  local ok, problem = unasked(function()
    vim.fn.bufload(buf)
  end)
  vim.o.modeline, vim.o.eventignore = modeline, ignored
  vim.bo[buf].modeline = modeline
  if fresh and ok then
    wake(buf, quiet, vim.bo[buf].swapfile) -- as autocommands of the user may have set it
  end
  if fresh and ok and not keep_swap then
    vim.bo[buf].swapfile = false
  end
  if not (fresh and ok and quiet) then
    vim.b[buf].editorconfig = configured
  end
  return ok, not ok and tostring(problem) or nil
end

return M
