--- Neovim's end: refused, or in time.
local M = {}

local api = vim.api

-- Has another window of the same buffer, with its options, variables and size, take the place of the current one. Fails
-- where there is no room to split it.
local function replace()
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local ex = require("nvim-acp.ui.ex")
  local config, sizes = api.nvim_win_get_config(win), ex.sizes()
  local view, vars = vim.fn.winsaveview(), vim.fn.getwinvar(win, "")
  if config.relative == "" then
    vim.cmd("noautocmd keepalt split")
  else
    config.noautocmd = true
    api.nvim_open_win(buf, true, config)
  end
  local new = api.nvim_get_current_win()
  for name, value in pairs(vars) do
    vim.w[new][name] = value
  end
  ex.silently(function()
    api.nvim_win_close(win, true)
  end)
  sizes()
  vim.fn.winrestview(view)
end

-- Goes to another tab page for a moment: the window is not in the current one then.
local function step_aside()
  local ex = require("nvim-acp.ui.ex")
  local tab, tabs, sizes = api.nvim_get_current_tabpage(), vim.o.showtabline, ex.sizes()
  local function show_tabs(value)
    ex.silently(function()
      vim.o.showtabline = value
    end)
  end
  if tabs == 1 then
    show_tabs(0) -- no line is needed, for which there may be no room
  end
  vim.cmd("noautocmd tab split")
  local other = api.nvim_get_current_tabpage()
  vim.schedule(function()
    if api.nvim_tabpage_is_valid(other) and api.nvim_tabpage_is_valid(tab) then
      ex.silently(function()
        api.nvim_set_current_tabpage(tab)
        ex.run({ cmd = "tabclose", args = { tostring(api.nvim_tabpage_get_number(other)) } })
      end)
    end
    show_tabs(tabs)
    sizes()
  end)
end

--- Has Neovim stay, in an autocommand of ExitPre: it does not exit once the window has gone in which it was asked to.
function M.refuse()
  if not pcall(replace) then
    step_aside()
  end
end

-- Returns the files that Neovim removes at its very end.
local function own_files()
  local files = vim.fn.serverlist()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local swap = vim.fn.swapname(buf)
    table.insert(files, swap ~= "" and swap or nil)
  end
  return files
end

-- Removes a folder with all that is in it. Works where Vim functions do not.
local function remove(dir)
  local entries = vim.uv.fs_scandir(dir)
  while entries do
    local name, kind = vim.uv.fs_scandir_next(entries)
    if not name then
      break
    elseif kind == "directory" then
      remove(dir .. "/" .. name)
    else
      vim.uv.fs_unlink(dir .. "/" .. name)
    end
  end
  vim.uv.fs_rmdir(dir)
end

-- Reports whether Neovim has other jobs than one, which it ends as it exits.
local function has_jobs(but)
  return vim.iter(api.nvim_list_chans()):any(function(chan)
    return chan.stream == "job" and chan.id ~= but and vim.fn.jobwait({ chan.id }, 0)[1] == -1
  end)
end

-- Reports whether autocommands of VimLeave are running.
local function leaving()
  return vim.fn.expand("<stack>"):find("VimLeave", 1, true) ~= nil
end

local stuck = 10000 -- milliseconds without a word of Neovim's loop, where autocommands of VimLeave had let it run

--- Has Neovim end within a second of the autocommands of VimLeave, in one of them. Else it waits, without bound, until
--- a program that hangs has read all that it was sent. It gets longer if it has other jobs: it kills after 2 s what
--- resists.
---@param hanging integer channel of the program
function M.within(hanging)
  local timer, limit = vim.uv.new_timer(), vim.uv.new_timer()
  local function arm() -- Neovim's end begins with what was scheduled
    local most = has_jobs(hanging) and 2500 or 1000
    local code, files, temporary = vim.v.exiting, own_files(), vim.fs.dirname(vim.fn.tempname())
    local function finish()
      vim.tbl_map(vim.uv.fs_unlink, files)
      remove(temporary)
      os.exit(code)
    end
    local early = leaving()
    limit:start(early and stuck or most, 0, finish) -- runs only if Neovim waits
    if early then -- an autocommand lets the loop run
      timer:start(100, 0, vim.schedule_wrap(arm))
    end
  end
  vim.schedule(arm)
end

return M
