--- A window beside the user's, in which they are shown a place without losing their own.
local M = {}

local api = vim.api

-- The most bytes of a file that is loaded for this: a larger one takes too long.
local most = 2 ^ 20

---@type integer? the window that was used last
local window

-- Reports whether a window may show another buffer: not a chat's, not a special one, and no text would be lost.
local function usable(win)
  local buf = api.nvim_win_get_buf(win)
  local bo = vim.bo[buf]
  return api.nvim_win_get_config(win).relative == ""
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and not vim.wo[win].diff
    and vim.b[buf].acp_session == nil
    and bo.buftype == ""
    and (bo.bufhidden == "" or bo.bufhidden == "hide")
    and (not bo.modified or vim.o.hidden)
end

-- Returns the window for a buffer: the previous one, another than the user's, or a new one; nil: not now. One in which
-- the user works by now is left to them: only with anew another is taken in its place.
local function target(buf, anew)
  local current = api.nvim_get_current_win()
  if window and api.nvim_win_is_valid(window) then
    local here = api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage()
    if here and window == current and not anew then
      return nil
    elseif here and window ~= current and usable(window) then
      return window
    end
  end
  local own
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if usable(win) then
      if win ~= current then
        return win
      end
      own = win
    end
  end
  local vertical = own and api.nvim_win_get_width(own) >= 120
  local ok, win = pcall(api.nvim_open_win, buf, false, { -- with the buffer: another one first takes twice the time
    split = own and (vertical and "right" or "below") or "left",
    win = own or -1,
  })
  if ok then
    vim.wo[win].winfixbuf = false
    return win
  end
end

--- Returns the buffer of a file, loaded without a question: a file that another Neovim edits is read-only.
---@param path string absolute
---@param quiet boolean? for an agent in a sandbox: see [unasked] of files.load
---@param pause fun()? called between steps that take milliseconds each where thousands of buffers are open
---@return integer? buf nil if it is no file, or too large
function M.load(path, quiet, pause)
  local buf = require("nvim-acp.files.buffer").find(path)
  if buf then
    return buf
  end
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" or stat.size > most then
    return nil
  end
  local real = vim.uv.fs_realpath(path)
  if not real then
    return nil -- it was just deleted
  end
  if pause then
    pause()
  end
  local load = require("nvim-acp.files.load")
  buf = load.add(real)
  local ok = load.unasked(buf, true, quiet)
  if not ok then
    return nil
  end
  vim.bo[buf].buflisted = true
  return buf
end

--- Shows a place in another window than the user's, whose cursor stays where it is. A window that is needed is made.
---@param path string absolute
---@param line integer 1-based; 0: none
---@param anew boolean? also if the user works in the window of the last place
---@param quiet boolean? see load
---@return integer? buf nil: not now
---@return integer? line that is shown
function M.show(path, line, anew, quiet)
  local mode = api.nvim_get_mode().mode
  if not mode:match("^[niv]") or vim.fn.getcmdwintype() ~= "" then
    return nil
  end
  local buf = M.load(path, quiet)
  local win = buf and target(buf, anew)
  if not win then
    return nil
  end
  window = win
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
  end
  line = math.min(line, api.nvim_buf_line_count(buf))
  if line > 0 then
    api.nvim_win_set_cursor(win, { line, 0 })
    api.nvim_win_call(win, function()
      vim.cmd("normal! zvzz")
    end)
  end
  return buf, line
end

--- Chooses a window anew for the next place.
function M.forget()
  window = nil
end

return M
