--- The files that agents may change behind the editor's back. The host looks at the disk; this tells it what is loaded,
--- and keeps Neovim's own reaction to changed files away while a merge window is open.
local M = {}

local api = vim.api

---@type { n: integer, live: string[], open: string[] } folders of all sessions, and those with an open merge window
local roots = { n = 0, live = {}, open = {} }

---@type table<integer, { autoread: boolean? }> buffers in a merge window, and their own 'autoread'
local guarded = {}

---@type table<integer, table> by buffer, the version of its file that was merged into it
local taken = {}

local window = api.nvim_create_augroup("nvim-acp.window", { clear = true })
local saving = api.nvim_create_augroup("nvim-acp.saving", { clear = true })
local lost = api.nvim_create_namespace("nvim-acp.lost")

local function inside(path, folders)
  for _, folder in ipairs(folders) do
    if path == folder or vim.startswith(path, folder == "/" and "/" or folder .. "/") then
      return true
    end
  end
  return false
end

-- The real path of the file that a buffer holds; nil for what is not a plain file.
local function path_of(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == "" or not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" or name:match("^%a[%w+.-]+://") then
    return nil
  end
  return require("nvim-acp.buffer").real(name)
end

-- Takes Neovim's reaction to a changed file from it: the host merges. Defined last, so that it has the last word.
local function guard(buf)
  if guarded[buf] then
    return
  end
  guarded[buf] = { autoread = vim.bo[buf].autoread }
  vim.bo[buf].autoread = false
  api.nvim_create_autocmd("FileChangedShell", {
    group = window,
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = ""
      require("nvim-acp.rpc").notify("look", {})
    end,
  })
end

local function unguard(buf)
  local was = guarded[buf]
  guarded[buf] = nil
  if api.nvim_buf_is_valid(buf) then
    api.nvim_clear_autocmds({ group = window, buffer = buf })
    vim.bo[buf].autoread = was.autoread
  end
end

-- Tells the host which version of its file a buffer has read or written.
local function tell(buf)
  local path = path_of(buf)
  if not path or not inside(path, roots.live) then
    return
  end
  if inside(path, roots.open) then
    guard(buf)
  end
  local stat = require("nvim-acp.buffer").stat(path)
  if stat and require("nvim-acp.rpc").running() and not require("nvim-acp.buffer").write_cmd(buf) then
    require("nvim-acp.rpc").notify("loaded", { path = path, stat = stat })
  end
end

local function own_file(args)
  return vim.fn.fnamemodify(args.file, ":p") == api.nvim_buf_get_name(args.buf)
end

--- Takes the mark of a deleted file away.
---@param buf integer
function M.found(buf)
  if vim.b[buf].acp_deleted then
    api.nvim_buf_clear_namespace(buf, lost, 0, -1)
    vim.b[buf].acp_deleted = nil
  end
end

-- Follows what is read and written below the sessions' folders.
local function follow()
  local group = api.nvim_create_augroup("nvim-acp.files", { clear = true })
  if #roots.live == 0 then
    return
  end
  api.nvim_create_autocmd({ "BufReadPost", "BufWritePost" }, {
    group = group,
    callback = function(args)
      if own_file(args) then
        M.found(args.buf)
        tell(args.buf)
      end
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(args)
      if guarded[args.buf] then
        unguard(args.buf)
      end
      taken[args.buf] = nil
    end,
  })
  require("nvim-acp.mode").follow()
end

--- Sets the folders of live sessions and those with an open merge window.
---@param r { n: integer, live: string[], open: string[] } n grows: what comes late is ignored
---@return string[] paths of the files loaded below the live ones
function M.watch(r)
  local files = {}
  if r.n > roots.n then
    local first = #roots.live == 0 or #r.live == 0
    roots = r
    if first then
      follow()
    end
  end
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local path = path_of(buf)
    local plain = path and inside(path, roots.live) and not require("nvim-acp.buffer").write_cmd(buf)
    if plain and inside(path, roots.open) then
      guard(buf)
    elseif guarded[buf] then
      unguard(buf)
    end
    if plain then
      table.insert(files, path)
    end
  end
  return files
end

--- Whether a merge window is open.
---@return boolean
function M.open()
  return #roots.open > 0
end

local function same(a, b)
  return a and b and a.sec == b.sec and a.nsec == b.nsec and a.size == b.size
end

-- Before the user saves: writes once by itself, if the file is as it was merged, so that Neovim does not ask whether to
-- overwrite a file that has changed since it read it.
local function write_first(args)
  local buf = args.buf
  local now = own_file(args) and require("nvim-acp.buffer").stat(api.nvim_buf_get_name(buf))
  if now and same(now, taken[buf]) then
    pcall(function()
      vim.cmd("silent keepalt lockmarks noautocmd write!") -- if it fails, so does the user's own, and says why
    end)
  end
end

--- Notes that a buffer has taken in a version of its file that Neovim has not read.
---@param buf integer
---@param stat table
function M.merged(buf, stat)
  M.found(buf)
  if not taken[buf] then
    api.nvim_clear_autocmds({ group = saving, buffer = buf })
    api.nvim_create_autocmd("BufWritePre", { group = saving, buffer = buf, callback = write_first })
    api.nvim_create_autocmd("BufWritePost", {
      group = saving,
      buffer = buf,
      callback = function(args)
        if own_file(args) then
          taken[buf] = nil
          vim.schedule(function()
            if not taken[buf] then
              pcall(api.nvim_clear_autocmds, { group = saving, buffer = buf })
            end
          end)
        end
      end,
    })
  end
  taken[buf] = stat
end

--- Marks a buffer whose file an agent has taken away: its text stays.
---@param path string
function M.deleted(path)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if path_of(buf) == path and not vim.b[buf].acp_deleted then
      vim.b[buf].acp_deleted = true
      vim.bo[buf].modified = true
      api.nvim_buf_set_extmark(buf, lost, 0, 0, { virt_text = { { "deleted on disk", "WarningMsg" } } })
      require("nvim-acp.message").warn(vim.fn.fnamemodify(path, ":.") .. " was deleted; its text is still here")
    end
  end
end

return M
