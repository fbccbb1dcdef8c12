--- Completion in a prompt: the language server in lsp.lua for completion plugins, 'omnifunc' and 'completefunc' for
--- Neovim's own keys, and a menu that opens by itself without a plugin.
local M = {}

local api = vim.api
local source = require("nvim-acp.prompt.source")

local function session()
  return require("nvim-acp.state").sessions[vim.b.acp_session or ""]
end

---@param item acp.Item
local function entry(item)
  local clean = require("nvim-acp.ui.text").line
  return {
    word = item.text,
    abbr = clean(vim.trim(item.text) .. (item.hint and " " .. clean(item.hint, 24) or ""), 60),
    menu = clean(item.detail or "", 60),
    info = item.about or "",
    icase = 1,
    dup = 0,
    equal = 1,
  }
end

--- 'omnifunc' and 'completefunc' of a prompt. The host answers from memory.
---@param findstart integer
---@param base string
function M.func(findstart, base)
  local s = session()
  local pos = api.nvim_win_get_cursor(0)
  local line = api.nvim_get_current_line()
  if findstart == 1 then
    local place = s and source.at(line, pos[1] - 1, pos[2])
    return place and place.from or -3
  end
  local place = s and source.at(base, base:sub(1, 1) == "/" and 0 or 1, #base)
  if not place then
    return {}
  end
  local asks = { session = s.id, query = place.query }
  local paths = place.sign == "@" and require("nvim-acp.rpc").ask("find_now", asks) or {}
  return { words = vim.tbl_map(entry, source.items(s, place, paths)), refresh = "always" }
end

--- Returns the name of another source of automatic completion menus.
---@return string? name
function M.other()
  for _, name in ipairs({ "blink.cmp", "cmp", "mini.completion", "coq", "care" }) do
    if package.loaded[name] then
      return name
    end
  end
  if vim.fn.exists("*coc#refresh") == 1 then
    return "coc.nvim"
  elseif vim.fn.exists("+autocomplete") == 1 and vim.o.autocomplete then
    return "'autocomplete'"
  end
end

-- Returns the cells that are free beside the names.
local function room_beside(entries, place)
  local widest = 0
  for _, e in ipairs(entries) do
    widest = math.max(widest, api.nvim_strwidth(e.abbr))
  end
  local at = vim.fn.screenpos(0, api.nvim_win_get_cursor(0)[1], place.from + 1).col
  return vim.o.columns - at - widest - 2
end

-- Returns the entries of items as wide as the menu can be: in a narrow one the hints go first, then the details.
local function fit(items, place)
  local entries = vim.tbl_map(entry, items)
  if room_beside(entries, place) < 24 then
    for i, item in ipairs(items) do
      entries[i].abbr = require("nvim-acp.ui.text").line(vim.trim(item.text), 60)
    end
  end
  local room = room_beside(entries, place)
  for _, e in ipairs(entries) do
    e.menu = room >= 8 and require("nvim-acp.ui.text").line(e.menu, room) or ""
  end
  return entries
end

-- Opens the menu, without taking its first entry.
local function open(place, items)
  local options = vim.o.completeopt
  vim.o.completeopt = "menuone,noinsert,noselect"
  pcall(vim.fn.complete, place.from + 1, fit(items, place)) -- text may be locked
  vim.o.completeopt = options
  if vim.fn.pumvisible() == 1 then
    require("nvim-acp.prompt.take").map(api.nvim_get_current_buf()) -- in an autocommand CompleteChanged is not raised
  end
end

--- Opens Neovim's menu for the text being typed, if no plugin does.
function M.offer()
  local s = session()
  if not s or not require("nvim-acp.config").options.chat.complete or M.other() then
    return
  end
  local pos, line = api.nvim_win_get_cursor(0), api.nvim_get_current_line()
  local place = source.at(line, pos[1] - 1, pos[2])
  if not place then
    return
  end
  local buf, tick = api.nvim_get_current_buf(), api.nvim_buf_get_changedtick(0)
  source.find(s, place, function(items)
    local same = api.nvim_get_current_buf() == buf and api.nvim_buf_get_changedtick(buf) == tick
    if same and api.nvim_get_mode().mode:match("^i") and vim.fn.complete_info({ "selected" }).selected < 0 then
      open(place, items)
    end
  end)
end

-- Attaches the language server a moment after the chat is there, since it takes Neovim 10 ms to load its client, or at
-- once when the user begins to type: completion plugins look for servers then. One may have looked already, since its
-- autocommand is older.
local function serve(s, buf)
  local started = false
  local function start()
    if not started and api.nvim_buf_is_loaded(buf) then
      started = true
      require("nvim-acp.prompt.lsp").start(s, buf)
    end
  end
  if require("nvim-acp.prompt.typing").inserts() then
    return start()
  end
  api.nvim_create_autocmd("InsertEnter", {
    buffer = buf,
    once = true,
    callback = function()
      if not started then
        start()
        local enter = vim.tbl_get(package.loaded, "cmp_nvim_lsp", "_on_insert_enter")
        if enter then
          pcall(enter)
        end
      end
    end,
  })
  local function later()
    if s.state == "busy" then -- its words are drawn
      return vim.defer_fn(later, 500)
    end
    start()
  end
  vim.defer_fn(later, 100)
end

--- Sets up a prompt's buffer.
---@param s acp.Session
---@param buf integer
function M.attach(s, buf)
  vim.bo[buf].omnifunc = "v:lua.require'nvim-acp.prompt.complete'.func"
  vim.bo[buf].completefunc = "v:lua.require'nvim-acp.prompt.complete'.func"
  if vim.fn.has("nvim-0.12") == 1 then
    vim.bo[buf].complete = "o,.^10,w^10" -- for 'autocomplete'
  end
  local typed = ""
  api.nvim_create_autocmd("InsertCharPre", {
    buffer = buf,
    callback = function()
      typed = vim.v.char
    end,
  })
  api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, {
    buffer = buf,
    callback = function()
      if typed ~= "" or vim.fn.pumvisible() == 1 then
        typed = ""
        M.offer()
      end
    end,
  })
  require("nvim-acp.prompt.take").attach(buf)
  serve(s, buf)
  api.nvim_create_autocmd("LspAttach", {
    buffer = buf,
    callback = function()
      require("nvim-acp.state").announce("buffer", s, "prompt", buf) -- the keys are the chat's, not a language's
    end,
  })
  api.nvim_create_autocmd("InsertEnter", {
    buffer = buf,
    once = true,
    callback = function()
      source.find(s, { from = 0, sign = "@", query = "" }, function() end) -- so that the list of files is ready
    end,
  })
end

return M
