--- Files that agents may change on disk. The host watches the disk; this module reports loaded files to it, and
--- suppresses Neovim's own reaction to changed files while a merge window is open.
local M = {}

local api = vim.api

-- Folders of all sessions, and those with an open merge window, from the nth call of this run of the host.
---@type { n: integer, run: string, live: string[], open: string[] }
local roots = { n = 0, run = "", live = {}, open = {} }

---@type table<integer, { autoread: boolean? }> buffers in a merge window, and their own 'autoread'
local guarded = {}

-- By buffer, the version of its file that it had when a host was attached, {} for one that the disk has no longer,
-- until it is in a merge window.
---@type table<integer, table>
local attached = {}

---@type table<integer, string> by buffer, the path of the file that the host knows it to have
local loaded = {}

local window = api.nvim_create_augroup("nvim-acp.window", { clear = true })

local holding = false -- 'autoread' is being set here, not by the user

local function inside(path, folders)
  return require("nvim-acp.files.path").inside(path, folders)
end

local function path_of(buf)
  return require("nvim-acp.files.buffer").plain(buf)
end

-- Follows the user's save of a buffer: if it fails, the host is told, since what it leaves on the disk is no version.
local function begin_save(args)
  local buf, version = args.buf, require("nvim-acp.files.version")
  if not require("nvim-acp.files.merged").own_file(args) then
    return
  end
  version.saves(buf, true)
  vim.schedule(function() -- when the command is over
    if version.unwritten(buf) and require("nvim-acp.rpc").running() then
      require("nvim-acp.rpc").notify("unwritten", { path = path_of(buf) or "" })
    end
  end)
end

-- Returns a buffer's own 'autoread', nil if it has none.
local function autoread(buf)
  return api.nvim_buf_call(buf, function()
    return api.nvim_get_option_value("autoread", { scope = "local" })
  end)
end

-- Switches the 'autoread' of a guarded buffer off. The value that the user has given it holds after the merge window.
local function hold(buf)
  guarded[buf].autoread = autoread(buf)
  holding = true
  vim.bo[buf].autoread = false
  holding = false
end

-- Suppresses Neovim's reaction to a changed file, since the host merges. Defined last, so that it runs after the user's
-- autocommands. From now on only the host looks at the disk: returns the version that the buffer has, {} for none, or
-- nil if the host knows it.
local function guard(buf)
  if guarded[buf] then
    if autoread(buf) ~= false then -- set where no OptionSet is raised
      hold(buf)
    end
    return
  end
  guarded[buf] = {}
  hold(buf)
  local told = attached[buf]
  local has = told or require("nvim-acp.files.path").stat(api.nvim_buf_get_name(buf))
  attached[buf] = nil
  require("nvim-acp.files.merged").know(buf, has)
  api.nvim_create_autocmd("BufWritePre", {
    group = window,
    buffer = buf,
    callback = function(args)
      require("nvim-acp.files.merged").merge_first(args)
      begin_save(args)
    end,
  })
  api.nvim_create_autocmd("FileChangedShell", {
    group = window,
    buffer = buf,
    callback = function()
      vim.v.fcs_choice = ""
      require("nvim-acp.rpc").notify("look", { path = path_of(buf) or "" })
    end,
  })
  return not told and (has or vim.empty_dict()) or nil
end

local function unguard(buf)
  local was = guarded[buf]
  guarded[buf] = nil
  require("nvim-acp.files.merged").know(buf, nil)
  if api.nvim_buf_is_valid(buf) then
    api.nvim_clear_autocmds({ group = window, buffer = buf })
    if autoread(buf) ~= false then
      return -- set where no OptionSet is raised
    elseif was.autoread == nil then
      api.nvim_buf_call(buf, function()
        vim.cmd("set autoread<")
      end)
    else
      vim.bo[buf].autoread = was.autoread
    end
  end
end

-- Reports the version of its file that a buffer has read or, if `wrote`, written to the host.
local function tell(buf, wrote)
  local path = path_of(buf)
  attached[buf] = nil
  if not path or not inside(path, roots.live) then
    return
  end
  if inside(path, roots.open) then
    guard(buf)
  end
  local stat = require("nvim-acp.files.path").stat(path)
  local text, overtaken
  if guarded[buf] and stat then
    text, overtaken = require("nvim-acp.files.buffer").written(buf, path, stat)
    require("nvim-acp.files.merged").know(buf, overtaken and {} or stat)
  end
  if stat and require("nvim-acp.rpc").running() and not require("nvim-acp.files.access").write_cmd(buf) then
    local n = require("nvim-acp.files.version").next(buf) -- "n" counts verbs
    require("nvim-acp.rpc").notify("loaded", {
      path = path,
      stat = stat,
      text = text,
      overtaken = overtaken or false,
      word = n,
      wrote = wrote or false,
      opened = loaded[buf] ~= path,
      own = require("nvim-acp.files.written").saving == buf,
    })
    loaded[buf] = path
    if guarded[buf] and not overtaken then
      require("nvim-acp.files.merged").note_later(buf, stat)
    end
  end
end

--- Reports the version of its file that a buffer has, where an autocommand may have read it without a report.
---@param buf integer
function M.told(buf)
  tell(buf, false)
end

-- Has the disk looked at after a save whose buffer is still modified: the user has answered Neovim's question with no,
-- or another autocommand has changed the text since. What the disk has is not known then.
local function unsure(buf)
  if guarded[buf] and require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("look", { path = path_of(buf) or "" })
  end
end

-- Notes that the file of a buffer which is unloaded will be opened again, unless it is only read again.
local function closed(buf)
  vim.schedule(function()
    if not (api.nvim_buf_is_valid(buf) and api.nvim_buf_is_loaded(buf)) then
      loaded[buf] = nil
    end
  end)
end

-- Watches reads and writes below the sessions' folders.
local function follow()
  local group = api.nvim_create_augroup("nvim-acp.files", { clear = true })
  if #roots.live == 0 then
    return
  end
  api.nvim_create_autocmd("BufWritePre", {
    group = group,
    callback = function(args)
      local path = not guarded[args.buf] and path_of(args.buf) -- else once what is on the disk is merged
      if path and inside(path, roots.live) then
        begin_save(args)
      end
    end,
  })
  api.nvim_create_autocmd({ "BufReadPost", "BufWritePost" }, {
    group = group,
    callback = function(args)
      local wrote = args.event == "BufWritePost"
      require("nvim-acp.files.version").saves(args.buf, false)
      if wrote and vim.bo[args.buf].modified then
        unsure(args.buf)
      elseif require("nvim-acp.files.merged").own_file(args) then
        require("nvim-acp.files.merged").found(args.buf)
        tell(args.buf, wrote)
      end
    end,
  })
  api.nvim_create_autocmd("BufNewFile", { -- the agent may make it
    group = group,
    callback = function(args)
      local path = path_of(args.buf)
      if path and inside(path, roots.open) and not require("nvim-acp.files.access").write_cmd(args.buf) then
        guard(args.buf)
        require("nvim-acp.rpc").notify("loaded", { path = path, missing = true })
      end
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(args)
      if guarded[args.buf] then
        unguard(args.buf)
      end
      closed(args.buf)
      attached[args.buf] = nil
      require("nvim-acp.files.merged").forget(args.buf)
      require("nvim-acp.files.version").forget(args.buf)
      require("nvim-acp.files.written").forget(args.buf)
    end,
  })
  api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = "autoread",
    callback = function()
      local buf = api.nvim_get_current_buf() -- also where that of another one is set
      if guarded[buf] and not holding then
        hold(buf)
      end
    end,
  })
  require("nvim-acp.files.mode").follow()
  require("nvim-acp.files.settled").follow()
end

-- Has Neovim look whether the file of a buffer has changed since that has read it, before the host takes the disk for
-- what the buffer has. One that is not read again is compared with the file.
local function look(buf)
  local changed = false
  local group = api.nvim_create_augroup("nvim-acp.look", {})
  api.nvim_create_autocmd("FileChangedShell", {
    group = group,
    buffer = buf,
    callback = function()
      changed, vim.v.fcs_choice = true, ""
    end,
  })
  local command = { cmd = "checktime", args = { tostring(buf) }, mods = { emsg_silent = true } }
  pcall(require("nvim-acp.ui.ex").run, command)
  api.nvim_clear_autocmds({ group = group })
  if changed then
    M.compare(buf)
  end
end

local slice = 50 -- loaded buffers that are looked at in one call; each takes some 50 µs

--- Sets the folders of live sessions and those with an open merge window, in calls of some buffers each.
---@param r { n: integer, run: string, live: string[], open: string[] } n increases: an older one is ignored
---@param from integer the last buffer of the call before, 0 for the first
---@return { path: string, has: table?, told: integer }[] loaded files below the live folders, with the version that a
--- buffer had as its merge window opened, {} for none, and the number of the last notification about it
---@return integer next where to go on, 0 after the last
function M.watch(r, from)
  if r.run ~= roots.run or r.n > roots.n then
    local first = #roots.live == 0 or #r.live == 0
    roots = r
    if first then
      follow()
    end
  end
  local cmds = api.nvim_get_autocmds({ event = "BufWriteCmd" })
  local paths, seen = {}, 0
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if buf > from and api.nvim_buf_is_loaded(buf) then
      local path = path_of(buf)
      local plain = path and inside(path, roots.live) and not require("nvim-acp.files.access").write_cmd(buf, cmds)
      local has
      if plain and loaded[buf] ~= path then
        loaded[buf] = path
        look(buf)
      end
      if plain and inside(path, roots.open) then
        has = guard(buf)
      elseif guarded[buf] then
        unguard(buf)
      end
      if plain then
        table.insert(paths, { path = path, has = has, told = require("nvim-acp.files.version").last(buf) })
      end
      seen = seen + 1
      if seen == slice then
        return paths, buf
      end
    end
  end
  return paths, 0
end

--- Returns the loaded buffers of files below folders.
---@param folders string[]
---@return integer[]
function M.below(folders)
  folders = vim.tbl_map(require("nvim-acp.files.path").real, folders)
  return vim.tbl_filter(function(buf)
    local path = path_of(buf)
    return path ~= nil and inside(path, folders)
  end, api.nvim_list_bufs())
end

--- Tells a host that is attached what a buffer started from: its file may have changed since, or does so before the
--- host first looks at it.
---@param buf integer
function M.compare(buf)
  local path = path_of(buf)
  local stat = path and require("nvim-acp.files.path").stat(path)
  local settled = not require("nvim-acp.files.settled").unsettled(buf)
  if not stat or not settled or require("nvim-acp.files.access").write_cmd(buf) then
    return
  end
  local lines
  if vim.bo[buf].modified then
    lines = require("nvim-acp.files.saved").lines(buf)
    if not lines then
      return
    end
  end
  local text, overtaken = require("nvim-acp.files.buffer").written(buf, path --[[@as string]], stat, lines)
  if not text then
    return
  end
  if not overtaken then
    require("nvim-acp.files.mtime").note(buf)
  end
  local has = overtaken and {} or stat
  if guarded[buf] then
    require("nvim-acp.files.merged").know(buf, has)
  else
    attached[buf] = has
  end
  local n = require("nvim-acp.files.version").next(buf)
  require("nvim-acp.rpc").notify("loaded", {
    path = path,
    stat = stat,
    text = text,
    overtaken = overtaken or false,
    word = n,
    wrote = false,
  })
end

--- Reports whether a merge window is open.
---@return boolean
function M.open()
  return #roots.open > 0
end

--- Releases all buffers, since the host has ended and nobody would merge.
function M.release()
  for buf in pairs(vim.deepcopy(guarded)) do
    unguard(buf)
  end
  roots, loaded = { n = 0, run = "", live = {}, open = {} }, {}
  require("nvim-acp.files.version").forget()
  follow()
end

return M
