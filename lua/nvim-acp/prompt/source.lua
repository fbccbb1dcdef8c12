--- The candidates after / and @ in a prompt, for every way of completing.
local M = {}

---@class acp.Item
---@field text string the inserted text
---@field name string the shown text, which a query is matched with
---@field kind "command"|"context"|"buffer"|"file"|"folder"|"symbol"
---@field hint string? of a command: what may follow it
---@field detail string? beside the name
---@field about string? longer, in a window of its own

---@class acp.Place
---@field from integer column where the text begins, from 0
---@field sign "/"|"@"
---@field query string

--- Returns the place before a column, if it can be completed.
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

-- Returns the items that match a query, best first.
local function fitting(items, query)
  if query == "" then
    return items
  end
  return vim.fn.matchfuzzy(items, query, { key = "name" })
end

local function commands(s, query)
  local items = {}
  for _, c in ipairs(s.commands) do
    local hint = c.hint ~= "" and c.hint or nil
    local about = c.description .. (hint and "\n\n/" .. c.name .. " " .. hint or "")
    local text = "/" .. c.name .. (hint and " " or "")
    local item = { text = text, name = c.name, kind = "command", hint = hint, detail = c.description, about = about }
    table.insert(items, item)
  end
  return fitting(items, query)
end

local function contexts(s)
  local context, items = require("nvim-acp.prompt.context"), {}
  for name, about in pairs(context.names) do
    local dear = name == "clipboard" or name == "diff" or name == "buffers" -- too slow for each key
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
  local text = require("nvim-acp.files.mention").write(name)
  return { text = text, name = name, kind = kind, detail = detail }
end

local function buffers(s)
  local items = {}
  for _, info in ipairs(require("nvim-acp.files.recent").list()) do
    if info.name ~= "" and vim.bo[info.bufnr].buftype == "" and #items < 100 then
      local name = require("nvim-acp.prompt.path").name(s, info.name)
      table.insert(items, path_item(name, "buffer", info.changed == 1 and "open, unsaved" or "open"))
    end
  end
  return items
end

--- Returns the items that match at a place, best first.
---@param s acp.Session
---@param place acp.Place
---@param paths string[] from the host
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
  take(vim.tbl_filter(function(item) -- only by prefix: else they come before the files
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

---@type table<integer, fun(paths: string[])> callbacks that wait for the host's answer
local asked = {}
local token = 0

--- Calls back with the items that match at a place, once the host has found its paths.
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

--- Handles the host's answer.
---@param id integer
---@param paths string[]
function M.found(id, paths)
  local done = asked[id]
  asked[id] = nil
  if done then
    done(paths)
  end
end

return M
