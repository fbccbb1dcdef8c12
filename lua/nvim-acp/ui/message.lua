--- Messages to the user: a line of vim.notify, short enough that Neovim never asks for a key.
local M = {}

-- Plugins that show the title of a message, by their modules.
local titled = { "noice", "notify", "snacks.notifier", "fidget.notification" }

-- Reports whether the user's vim.notify shows titles.
local function shows_title()
  local fn = vim.notify
  if type(fn) == "function" and vim.startswith(debug.getinfo(fn, "S").source, "@vim/") then
    return false -- Neovim's own
  end
  return vim.iter(titled):any(function(module)
    return package.loaded[module] ~= nil
  end)
end

local narrow = 32 -- columns, below which every cell is for the message

-- Returns the line that is shown: where no title is, the plugin's name is in it, if there is room. One that is too long
-- is cut, or is the longest of the shorter ones that has room, without the name if need be.
local function line(text, shorter)
  local roomy = vim.o.columns >= narrow
  local room = math.max(math.min(roomy and vim.o.columns - 12 or vim.o.columns, vim.v.echospace), 1)
  local named = (shows_title() or not roomy) and text or "nvim-acp: " .. text
  for _, other in ipairs(shorter and { text, unpack(shorter) } or {}) do
    if vim.api.nvim_strwidth(named) > room then
      named = other
    end
  end
  return require("nvim-acp.ui.text").line(named, room)
end

---@param text string
---@param level integer vim.log.levels
---@param shorter string[]? what is shown instead where the screen is too narrow, longest first
function M.say(text, level, shorter)
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(level, text)
    vim.notify(line(text, shorter), level, { title = "nvim-acp" })
  end)
end

local stays = 0 -- messages that were to stay

--- Shows a message that stays until it is over, with those plugins from which it can be taken back.
---@param text string
---@return fun() over
function M.stay(text)
  stays = stays + 1
  local id, shown = "nvim-acp." .. stays, nil
  local loaded = package.loaded
  local able = shows_title() and not loaded.noice and (loaded["snacks.notifier"] or loaded.notify) ~= nil
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(vim.log.levels.INFO, text)
    local opts = able and { title = "nvim-acp", timeout = false, id = id } or { title = "nvim-acp" }
    shown = vim.notify(line(text), vim.log.levels.INFO, opts)
  end)
  return function()
    vim.schedule(function()
      if able and loaded["snacks.notifier"] then
        loaded["snacks.notifier"].hide(id)
      elseif able and type(shown) == "table" then -- of nvim-notify: another takes its place, and goes
        local done, opts = "answered", { title = "nvim-acp", replace = shown, timeout = 1 }
        loaded.notify(done, vim.log.levels.INFO, opts)
      end
    end)
  end
end

--- Shows a message at once, for those who wait for what is done.
---@param text string
function M.now(text)
  require("nvim-acp.ui.logfile").write(vim.log.levels.INFO, text)
  vim.notify(line(text), vim.log.levels.INFO, { title = "nvim-acp" })
  vim.cmd.redraw()
end

---@param text string
---@param shorter string[]? as for say
function M.info(text, shorter)
  M.say(text, vim.log.levels.INFO, shorter)
end

---@param text string
---@param shorter string[]? as for say
function M.warn(text, shorter)
  M.say(text, vim.log.levels.WARN, shorter)
end

---@param text string
---@param shorter string[]? as for say
function M.error(text, shorter)
  M.say(text, vim.log.levels.ERROR, shorter)
end

return M
