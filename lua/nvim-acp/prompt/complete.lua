--- What can be typed after / and @ in a prompt, for every way of completing: the language server in lsp.lua for
--- completion plugins, 'omnifunc' and 'completefunc' for Neovim's own keys, a menu of ours where there is no plugin.
local M = {}

local api = vim.api

---@class acp.Item
---@field text string what is written
---@field name string what is shown, and what a query is compared with
---@field kind "command"|"context"|"buffer"|"file"|"folder"|"symbol"
---@field detail string? beside the name
---@field about string? longer, in a window of its own

---@class acp.Place
---@field from integer column where the text begins, from 0
---@field sign "/"|"@"
---@field query string

--- What is being typed before a column, if it is something to complete.
---@param line string
---@param row integer from 0
---@param col integer
---@return acp.Place?
function M.at(line, row, col)
  local before = line:sub(1, col)
  if row == 0 and before:match("^/%S*$") then
    return { from = 0, sign = "/", query = before:sub(2) }
  end
  local at, query = before:sub(-300):match('.*()@"([^"]*)$')
  if not at then
    at, query = before:sub(-300):match('.*()@([^%s@"]*)$')
  end
  if not at then
    return nil
  end
  at = at + math.max(#before - 300, 0)
  if at > 1 and not before:sub(at - 1, at - 1):match("[%s%(%[{\"'`<]") then
    return nil
  end
  return { from = at - 1, sign = "@", query = query }
end

-- Those of a list of items that fit a query, best first.
local function fitting(items, query)
  if query == "" then
    return items
  end
  return vim.fn.matchfuzzy(items, query, { key = "name" })
end

local function commands(s, query)
  local items = {}
  for _, c in ipairs(s.commands) do
    local detail = c.hint ~= "" and c.hint or c.description
    local about = c.description .. (c.hint ~= "" and "\n\n/" .. c.name .. " " .. c.hint or "")
    local text = "/" .. c.name .. (c.hint ~= "" and " " or "")
    table.insert(items, { text = text, name = c.name, kind = "command", detail = detail, about = about })
  end
  return fitting(items, query)
end

local function contexts(s)
  local context, items = require("nvim-acp.prompt.context"), {}
  for name, about in pairs(context.names) do
    local dear = name == "clipboard" or name == "diff" or name == "buffers" -- not looked at for each key
    if dear or #context.named(name, s) > 0 then
      table.insert(items, { text = "@" .. name, name = name, kind = "context", detail = about })
    end
  end
  for name in pairs(require("nvim-acp.prompt.mention").attached(s)) do
    table.insert(items, { text = "@" .. name, name = name, kind = "context", detail = "added" })
  end
  table.sort(items, function(a, b)
    return a.name < b.name
  end)
  return items
end

local function path_item(name, kind, detail)
  local text = require("nvim-acp.prompt.mention").write(name)
  return { text = text, name = name, kind = kind, detail = detail }
end

local function buffers(s)
  local mention, items = require("nvim-acp.prompt.mention"), {}
  local list = vim.fn.getbufinfo({ buflisted = 1 })
  table.sort(list, function(a, b)
    return a.lastused > b.lastused
  end)
  for _, info in ipairs(list) do
    if info.name ~= "" and vim.bo[info.bufnr].buftype == "" and #items < 100 then
      local name = mention.name(s, info.name)
      table.insert(items, path_item(name, "buffer", info.changed == 1 and "open, unsaved" or "open"))
    end
  end
  return items
end

--- All that fits a place, best first.
---@param s acp.Session
---@param place acp.Place
---@param paths string[] that the host has found
---@return acp.Item[]
function M.items(s, place, paths)
  if place.sign == "/" then
    return commands(s, place.query)
  end
  local items, seen = {}, {}
  local function take(list)
    for _, item in ipairs(list) do
      if not seen[item.text] and #items < 200 then
        seen[item.text] = true
        table.insert(items, item)
      end
    end
  end
  local query = place.query:lower()
  take(vim.tbl_filter(function(item) -- only by their beginning: else they stand before the files that are meant
    return vim.startswith(item.name:lower(), query)
  end, contexts(s)))
  take(fitting(buffers(s), place.query))
  for _, path in ipairs(paths) do
    take({ path_item(path, path:sub(-1) == "/" and "folder" or "file") })
  end
  if place.query ~= "" then
    take(fitting(require("nvim-acp.prompt.symbols").items(s), place.query))
  end
  return items
end

---@type table<integer, fun(paths: string[])> who waits for the host's answer
local asked = {}
local token = 0

--- Calls back with what fits a place, when the host has found its paths.
---@param s acp.Session
---@param place acp.Place
---@param done fun(items: acp.Item[])
function M.find(s, place, done)
  if place.sign == "/" then
    return done(M.items(s, place, {}))
  end
  token = token + 1
  asked[token] = function(paths)
    done(M.items(s, place, paths))
  end
  asked[token - 50] = nil -- the host was lost before it answered
  require("nvim-acp.state").notify(s, "find", { query = place.query, token = token })
end

--- The host's answer.
---@param id integer
---@param paths string[]
function M.found(id, paths)
  local done = asked[id]
  asked[id] = nil
  if done then
    done(paths)
  end
end

local function session()
  return require("nvim-acp.state").sessions[vim.b.acp_session or ""]
end

---@param item acp.Item
local function entry(item)
  local clean = require("nvim-acp.ui.message").line
  return {
    word = item.text,
    abbr = clean(item.text, 60),
    menu = clean(item.detail or "", 40),
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
    local place = s and M.at(line, pos[1] - 1, pos[2])
    return place and place.from or -3
  end
  local place = s and M.at(base, base:sub(1, 1) == "/" and 0 or 1, #base)
  if not place then
    return {}
  end
  local asks = { session = s.id, query = place.query }
  local paths = place.sign == "@" and require("nvim-acp.rpc").ask("find_now", asks) or {}
  return { words = vim.tbl_map(entry, M.items(s, place, paths)), refresh = "always" }
end

--- What else opens completion menus while one types.
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

-- What is said beside the names gives way as a whole where the menu has no room for it.
local function fit(entries, place)
  local widest = 0
  for _, e in ipairs(entries) do
    widest = math.max(widest, api.nvim_strwidth(e.abbr))
  end
  local at = vim.fn.screenpos(0, api.nvim_win_get_cursor(0)[1], place.from + 1).col
  local room = vim.o.columns - at - widest - 2
  for _, e in ipairs(entries) do
    e.menu = room >= 8 and require("nvim-acp.ui.message").line(e.menu, room) or ""
  end
  return entries
end

-- Opens the menu, without taking its first entry.
local function open(place, items)
  local options = vim.o.completeopt
  vim.o.completeopt = "menuone,noinsert,noselect"
  pcall(vim.fn.complete, place.from + 1, fit(vim.tbl_map(entry, items), place)) -- text may be locked by now
  vim.o.completeopt = options
end

--- Opens the menu of Neovim for what is being typed, if no plugin does.
function M.offer()
  local s = session()
  if not s or not require("nvim-acp.config").options.chat.complete or M.other() then
    return
  end
  local pos, line = api.nvim_win_get_cursor(0), api.nvim_get_current_line()
  local place = M.at(line, pos[1] - 1, pos[2])
  if not place then
    return
  end
  local buf, tick = api.nvim_get_current_buf(), api.nvim_buf_get_changedtick(0)
  M.find(s, place, function(items)
    local same = api.nvim_get_current_buf() == buf and api.nvim_buf_get_changedtick(buf) == tick
    if same and api.nvim_get_mode().mode:match("^i") and vim.fn.complete_info({ "selected" }).selected < 0 then
      open(place, items)
    end
  end)
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
  api.nvim_create_autocmd("InsertEnter", {
    buffer = buf,
    once = true,
    callback = function()
      require("nvim-acp.prompt.lsp").start(s, buf)
      M.find(s, { from = 0, sign = "@", query = "" }, function() end) -- so that the list of files is there
    end,
  })
end

return M
