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

-- Returns the line that is shown: where no title is, the plugin's name is in it, if there is room.
local function line(text)
  local roomy = vim.o.columns >= narrow
  local room = math.max(math.min(roomy and vim.o.columns - 12 or vim.o.columns, vim.v.echospace), 1)
  local named = (shows_title() or not roomy) and text or "nvim-acp: " .. text
  return require("nvim-acp.ui.text").line(named, room)
end

---@param text string
---@param level integer vim.log.levels
function M.say(text, level)
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(level, text)
    vim.notify(line(text), level, { title = "nvim-acp" })
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
function M.info(text)
  M.say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

return M
