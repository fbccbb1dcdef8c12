--- Messages to the user: a line of vim.notify, short enough that Neovim never asks for a key.
local M = {}

-- Plugins that show the title of a message, by their modules.
local titled = { "noice", "notify", "snacks.notifier", "fidget.notification" }

local function builtin()
  return require("nvim-acp.ui.builtin")(vim.notify)
end

-- Reports whether the user's vim.notify shows titles.
local function shows_title()
  return not builtin() and vim.iter(titled):any(function(module)
    return package.loaded[module] ~= nil
  end)
end

local narrow = 32 -- columns, below which every cell is for the message

-- Returns the cells that a message may have.
local function room()
  local columns = vim.o.columns >= narrow and vim.o.columns - 12 or vim.o.columns
  return math.max(math.min(columns, vim.v.echospace), 1)
end

-- Returns the line that is shown, and whether the whole text is in it. Where no title is, the plugin's name is in it,
-- if there is room. One that is too long is the longest of the shorter ones that has room, without the name if need be,
-- or is cut.
local function line(text, shorter)
  local clean = require("nvim-acp.ui.text").line
  if shows_title() then -- in a window of its own
    return clean(text, vim.o.columns * 4), true
  end
  local choices = { text, unpack(shorter or {}) }
  if vim.o.columns >= narrow then
    table.insert(choices, 1, "nvim-acp: " .. text)
  end
  for _, choice in ipairs(choices) do
    if vim.api.nvim_strwidth(choice) <= room() then
      return clean(choice, room()), vim.endswith(choice, text) and not text:find("\n", 1, true)
    end
  end
  return clean(choices[#choices], room()), false
end

local groups = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

-- Shows a line with Neovim's own means that is shorter than its text, which is whole in :messages: in lines of which
-- each fits and takes the place of the one before, so that none asks for a key.
local function echo(shown, text, level)
  local rows = {}
  for part in ("nvim-acp: " .. text):gmatch("[^\r\n]+") do
    local clean = require("nvim-acp.ui.text").visible(part)
    vim.list_extend(rows, require("nvim-acp.ui.text").wrap(clean, math.max(room() - 2, 1)))
  end
  for i, row in ipairs(rows) do
    vim.api.nvim_echo({ { (i > 1 and "  " or "") .. row, groups[level] } }, true, {})
  end
  vim.api.nvim_echo({ { shown, groups[level] } }, false, {})
end

local most = 16 * 1024 -- bytes of a text

local until_read = 0 -- when the last warning or error has been on the screen for a while

-- Shows a message. Neovim's own notify has an error wait for a key where another message was there before.
local function show(text, level, shorter, opts)
  if level >= vim.log.levels.WARN then
    until_read = vim.uv.now() + 3000
  end
  local named = require("nvim-acp.ui.keys").named
  text, shorter = named(text), shorter and vim.tbl_map(named, shorter)
  if #text > most then
    text = ("%s\n(cut: it has %d bytes)"):format(text:sub(1, most), #text)
  end
  local shown, whole = line(text, shorter)
  local mode = vim.api.nvim_get_mode().mode
  if not builtin() then
    return vim.notify(shown, level, opts)
  elseif whole or mode:find("^[cr]") then -- where more lines would be shown below each other
    return vim.api.nvim_echo({ { shown, groups[level] } }, true, {})
  end
  return echo(shown, text, level)
end

local news = 0 -- how many wait until then

--- Calls a function once no warning or error has come so lately that another message would cover it unread, and no news
--- wait for that.
---@param fn fun()
function M.when_read(fn)
  local left = until_read - vim.uv.now()
  if left <= 0 and news == 0 then
    return fn()
  end
  vim.defer_fn(function()
    M.when_read(fn)
  end, math.max(math.min(left, 200), 20))
end

---@param text string
---@param level integer vim.log.levels
---@param shorter string[]? what is shown instead where the screen is too narrow, longest first
function M.say(text, level, shorter)
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(level, text)
    show(text, level, shorter, { title = "nvim-acp" })
  end)
end

--- Says that a command does not take a word: Unknown scope "bogus" (all, file, turn).
---@param what string the word's part: "scope", "argument"
---@param word string
---@param known string[]
function M.unknown(what, word, known)
  local text = ('Unknown %s "%s"'):format(what, word)
  M.say(("%s (%s)"):format(text, table.concat(known, ", ")), vim.log.levels.WARN, { text })
end

local stays = 0 -- messages that were to stay

--- Shows a message that stays until it is over, with those plugins from which it can be taken back.
---@param text string
---@param shorter string[]? as for say
---@return fun() over
function M.stay(text, shorter)
  stays = stays + 1
  local id, shown = "nvim-acp." .. stays, nil
  local loaded = package.loaded
  local able = shows_title() and not loaded.noice and (loaded["snacks.notifier"] or loaded.notify) ~= nil
  vim.schedule(function()
    require("nvim-acp.ui.logfile").write(vim.log.levels.INFO, text)
    local opts = able and { title = "nvim-acp", timeout = false, id = id } or { title = "nvim-acp" }
    shown = show(text, vim.log.levels.INFO, shorter, opts)
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
  vim.notify((line(text)), vim.log.levels.INFO, { title = "nvim-acp" })
  vim.cmd.redraw()
end

---@param text string
---@param shorter string[]? as for say
function M.info(text, shorter)
  M.say(text, vim.log.levels.INFO, shorter)
end

--- Says something that nobody has just asked for: it waits while a warning or an error is unread.
---@param text string
function M.news(text)
  local left = until_read - vim.uv.now()
  if left <= 0 then
    return M.info(text)
  end
  news = news + 1
  vim.defer_fn(function()
    news = news - 1
    M.news(text)
  end, math.min(left, 200))
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

require("nvim-acp.ui.disk").tell(M.warn)

return M
