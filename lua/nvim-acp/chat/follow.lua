--- Shows the file and line that the agent reads or changes, in a window beside the user's.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.follow")

-- The most bytes of a followed file: loading a larger one takes too long.
local most = 2 ^ 21

---@type integer? the window that follows, if there is one
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

-- Returns the window for a location: the previous one, another than the user's, or a new one; nil: not now.
local function target()
  local current = api.nvim_get_current_win()
  if window and api.nvim_win_is_valid(window) then
    local here = api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage()
    if here and window == current then
      return nil -- the user works in it
    elseif here and usable(window) then
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
  local ok, win = pcall(api.nvim_open_win, api.nvim_create_buf(false, true), false, {
    split = own and (vertical and "right" or "below") or "left",
    win = own or -1,
  })
  if ok then
    vim.wo[win].winfixbuf = false
    vim.bo[api.nvim_win_get_buf(win)].bufhidden = "wipe"
    return win
  end
end

-- Returns the buffer of a file, loaded without a question: a file that another Neovim edits is read-only.
local function load(path)
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
  buf = vim.fn.bufadd(real)
  local kept = vim.o.shortmess
  vim.opt.shortmess:append("A")
  local ok = pcall(vim.fn.bufload, buf)
  vim.o.shortmess = kept
  vim.bo[buf].buflisted = true
  return ok and buf or nil
end

local function show(s, place)
  local mode = api.nvim_get_mode().mode
  if not mode:match("^[niv]") or vim.fn.getcmdwintype() ~= "" then
    return false
  end
  local path = place.path:sub(1, 1) == "/" and place.path or vim.fs.joinpath(s.cwd, place.path)
  local buf = load(path)
  local win = buf and target()
  if not win then
    return false
  end
  window = win
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local line = math.min(math.max(place.line, 1), api.nvim_buf_line_count(buf))
  if place.line > 0 then
    api.nvim_win_set_cursor(win, { line, 0 })
    api.nvim_win_call(win, function()
      vim.cmd("normal! zvzz")
    end)
    api.nvim_buf_set_extmark(buf, ns, line - 1, 0, { line_hl_group = "AcpFollow" })
  end
  return true
end

--- Shows the location of a session's agent, if it is followed and has moved.
---@param s acp.Session
function M.update(s)
  local place = s.place
  if not s.following or not place or vim.deep_equal(place, s.followed) then
    return
  end
  local ok, shown = pcall(show, s, place)
  if ok and shown then
    s.followed = place
  end
end

--- Follows a session's agent, or stops following it.
---@param s acp.Session
---@return boolean following
function M.toggle(s)
  s.following, s.followed = not s.following, nil
  if s.following then
    M.update(s)
  else
    for _, buf in ipairs(api.nvim_list_bufs()) do
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
    window = nil
  end
  local what = s.following and "following %s; :AcpFollow stops" or "no longer following %s"
  require("nvim-acp.ui.message").info(what:format(s.agent_title))
  return s.following
end

return M
