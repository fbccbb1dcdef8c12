--- What is opened in a window of the chat goes to the last used ordinary window, by whatever way it was opened: by
--- `:edit`, a picker, a tree or a jump. So these windows are not fixed to their buffers, which would be an error for
--- some of these ways, and a split for others. The variable acp_shows of a window is the buffer of the chat in it.
local M = {}

local api = vim.api

-- Returns what netrw keeps in the window in which it lists a folder.
local function netrw(win)
  local kept = {}
  for name, value in pairs(vim.fn.getwinvar(win, "")) do
    if vim.startswith(name, "netrw_") then
      kept[name] = value
    end
  end
  return kept
end

-- Shows a buffer where files belong, at the place where it was.
local function hand_over(buf, view, focus)
  local here = api.nvim_get_current_win()
  local kept = vim.bo[buf].filetype == "netrw" and netrw(here) or {}
  require("nvim-acp.files.window").show(buf)
  for name, value in pairs(kept) do
    vim.w[name] = value
  end
  vim.fn.winrestview(view)
  if not focus and api.nvim_win_is_valid(here) then
    api.nvim_set_current_win(here)
  elseif api.nvim_get_mode().mode:sub(1, 1) == "i" then
    vim.cmd.stopinsert() -- the user was writing a prompt
  end
end

-- Gives a window of the chat its own buffer back.
local function land(win)
  local own = api.nvim_win_is_valid(win) and vim.w[win].acp_shows
  local buf = own and api.nvim_win_get_buf(win)
  if not own or buf == own or vim.b[buf].acp_kind then
    return
  elseif not api.nvim_buf_is_loaded(own) then -- it was deleted, so this is a window like any other
    vim.w[win].acp_shows = nil
    return
  end
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  local hidden = vim.bo[buf].bufhidden
  vim.bo[buf].bufhidden = "hide" -- netrw's goes when it is hidden
  api.nvim_win_set_buf(win, own) -- with the window's options of before
  hand_over(buf, view, win == api.nvim_get_current_win())
  vim.bo[buf].bufhidden = hidden
end

--- Has :Explore in a buffer of the chat, which is in no folder, list the working folder, where files belong.
---@param buf integer
function M.explore(buf)
  api.nvim_buf_create_user_command(buf, "Explore", function(opts)
    require("nvim-acp.files.window").show(api.nvim_create_buf(false, true))
    vim.bo.bufhidden = "wipe"
    local folder = opts.args == "" and vim.fn.fnameescape(vim.fn.getcwd()) or opts.args
    require("nvim-acp.ui.ex").run({ cmd = "Explore", args = { folder } })
  end, { nargs = "*", complete = "dir", desc = "nvim-acp: list a folder in the window for files" })
end

--- Watches what is opened. Called with the first chat.
function M.watch()
  api.nvim_create_autocmd({ "BufWinEnter", "BufEnter" }, { -- the second for what opens a folder in the middle of it
    group = api.nvim_create_augroup("nvim-acp.landing", {}),
    callback = function()
      local win = api.nvim_get_current_win()
      if vim.w[win].acp_shows then
        vim.schedule(function() -- when whoever opens it has set the cursor
          require("nvim-acp.ui.try").call(land, win)
        end)
      end
    end,
  })
end

return M
