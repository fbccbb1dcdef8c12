--- Completion menus, Neovim's own and those that plugins draw in floats. What is accepted goes to the line where the
--- completion began, by its number, so that no line may move meanwhile.
local M = {}

local api = vim.api

-- How long a plugin may work on what was accepted after its menu is closed, in milliseconds: some ask the language
-- server first.
local grace = 250

local closed = 0 -- how many menus have been closed within that time

-- What plugins offer beside their windows: whether a completion is open (it may be ghost text only), how it is closed,
-- and how answers that are under way are dropped. Functions that wait, as those of require("cmp") do, are not called.
local plugins = {
  cmp = {
    close = function(cmp)
      cmp.core.view:close()
      cmp.core:reset()
    end,
    forget = function(cmp)
      cmp.core:reset()
    end,
  },
  ["blink.cmp"] = {
    visible = function(blink)
      return blink.is_visible()
    end,
    close = function(blink)
      blink.hide()
    end,
    forget = function()
      require("blink.cmp.completion.trigger").hide()
    end,
  },
}

-- Calls a function of each loaded plugin that has it; reports whether one has returned true.
local function each(what)
  local any = false
  for name, plugin in pairs(plugins) do
    local module = package.loaded[name]
    if type(module) == "table" and plugin[what] then
      local ok, result = pcall(plugin[what], module) -- it may be of a version that has no such function
      any = any or ok and result == true
    end
  end
  return any
end

-- Reports whether a window is one of a completion menu: a float of its level, above or below the cursor's line.
local function is_menu(win)
  local config = api.nvim_win_get_config(win)
  if config.relative == "" or config.hide or (config.zindex or 0) < 100 or win == api.nvim_get_current_win() then
    return false
  end
  local filetype = vim.bo[api.nvim_win_get_buf(win)].filetype
  if filetype:find("menu", 1, true) then
    return true
  elseif filetype:find("sign", 1, true) or filetype:find("doc", 1, true) then
    return false
  end
  local cursor = vim.fn.screenpos(0, vim.fn.line("."), vim.fn.col("."))
  local at = api.nvim_win_get_position(win)
  local edges = config.border and config.border ~= "none" and 2 or 0
  local top, left = at[1] + 1, at[2] + 1
  local below = top - cursor.row
  local above = cursor.row - (top + config.height + edges - 1)
  local beside = left <= cursor.col + 2 and cursor.col <= left + config.width + edges
  return beside and (below == 1 or below == 2 or above == 1 or above == 2)
end

local function drawn()
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if is_menu(win) then
      return true
    end
  end
  return false
end

-- Reports whether the menu is Neovim's own.
local function own(mode)
  return vim.fn.pumvisible() == 1 or mode == "ic" or mode == "ix"
end

--- Reports whether a completion is open in the current window, or was a moment ago.
---@param mode string of nvim_get_mode
---@return boolean
function M.open(mode)
  return mode:sub(1, 1) == "i" and (own(mode) or drawn() or each("visible") or closed > 0)
end

--- Closes the menu. One of a plugin that is not in the list above stays.
---@param mode string of nvim_get_mode
function M.close(mode)
  if own(mode) then -- by a key: one that was only closed continues from the line number it began at
    api.nvim_feedkeys(vim.keycode("<C-x><C-z>"), "in", false)
  end
  each("close")
end

--- Drops answers to completions that are under way: they are about lines that have moved.
function M.forget()
  each("forget")
end

--- Watches menus being closed.
function M.follow()
  api.nvim_create_autocmd("WinClosed", {
    group = api.nvim_create_augroup("nvim-acp.menu", { clear = true }),
    callback = function(args)
      local win = tonumber(args.match)
      if api.nvim_get_mode().mode:sub(1, 1) == "i" and win and api.nvim_win_is_valid(win) and is_menu(win) then
        closed = closed + 1
        vim.defer_fn(function() -- after a plugin's own, also where Neovim has slept for longer than both
          closed = closed - 1
        end, grace)
      end
    end,
  })
end

return M
