--- Virtual lines above the first line of a text, or of a window.
local M = {}

local api = vim.api

-- Neovim hangs for ever at <C-u> and <C-b> where such lines and the first line of the text, which wraps, have more rows
-- than the window, unless 'smoothscroll' is set.
local hangs = vim.fn.has("nvim-0.12") == 0

---@type table<integer, true> buffers that may have such lines
local watched = {}
---@type table<string, true> windows with their buffers in which the option is set here
local set = {}

-- Returns what 'smoothscroll' is to be in a window, nil if it is to stay as it is.
local function wanted(win)
  local first = api.nvim_win_text_height(win, { start_row = 0, end_row = 0 })
  local wrapped = first.all - first.fill > 1
  if first.fill > 0 and wrapped and first.all > vim.fn.getwininfo(win)[1].height then
    return not vim.wo[win].smoothscroll or nil
  end
  return set[win .. ":" .. api.nvim_win_get_buf(win)] and false
end

local function guard(win)
  local on = api.nvim_win_is_valid(win) and wanted(win)
  if on or on == false then
    set[win .. ":" .. api.nvim_win_get_buf(win)] = on or nil
    require("nvim-acp.ui.window").set(win, { smoothscroll = on })
  end
end

local drawn = {} ---@type integer[] windows
local following = false

-- Lines come above the first one by edits, too, and windows change: what is drawn says so.
local function follow()
  following = true
  api.nvim_set_decoration_provider(api.nvim_create_namespace("nvim-acp.above"), {
    on_win = function(_, win, buf)
      if watched[buf] then
        table.insert(drawn, win)
      end
      return false
    end,
    on_end = function()
      local due = vim.tbl_filter(function(win)
        return wanted(win) ~= nil
      end, drawn)
      drawn = {}
      if #due > 0 then
        vim.schedule(function() -- nothing may change while windows are drawn
          vim.tbl_map(guard, due)
        end)
      end
    end,
  })
end

--- Has the windows of a buffer with virtual lines scroll by rows where Neovim would hang, as long as it would.
---@param buf integer
---@param row integer of the lines
function M.watch(buf, row)
  if not hangs then
    return
  elseif not following then
    follow()
  end
  watched[buf] = true
  if row == 0 then
    vim.tbl_map(guard, vim.fn.win_findbuf(buf))
  end
end

--- Takes room for virtual lines that are gone from the windows of a buffer: in one that is not the current one, Neovim
--- leaves that empty above the first line.
---@param buf integer
function M.settle(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      local row = view.topline - 1
      local fill = view.topfill > 0 and api.nvim_win_text_height(win, { start_row = row, end_row = row }).fill or 0
      if view.topfill > fill then
        vim.fn.winrestview({ topline = view.topline, topfill = fill })
      end
    end)
  end
end

return M
