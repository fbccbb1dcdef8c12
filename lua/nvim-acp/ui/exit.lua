--- Neovim's end: refused, or in time.
local M = {}

local api = vim.api

--- Has Neovim stay, in an autocommand of ExitPre: it does not exit once the window has gone in which it was asked to.
--- Another one of the same buffer, with its options, variables and size, takes its place.
function M.refuse()
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local config, sizes = api.nvim_win_get_config(win), vim.fn.winrestcmd()
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
  vim.cmd(("noautocmd call nvim_win_close(%d, v:true)"):format(win))
  vim.cmd(sizes)
  vim.fn.winrestview(view)
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

--- Has Neovim end within a second, in an autocommand of VimLeave. Else it waits, without bound, until a program that
--- hangs has read all that it was sent. It gets longer if it has other jobs: it kills after 2 s what resists.
---@param hanging integer channel of the program
function M.within(hanging)
  local most = has_jobs(hanging) and 2500 or 1000
  local code, files, temporary = vim.v.exiting, own_files(), vim.fs.dirname(vim.fn.tempname())
  vim.uv.new_timer():start(most, 0, function() -- runs only if Neovim waits
    vim.tbl_map(vim.uv.fs_unlink, files)
    remove(temporary)
    os.exit(code)
  end)
end

return M
