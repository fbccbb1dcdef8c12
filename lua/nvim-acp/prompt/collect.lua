--- What a context stands for in the current window, and the mention that names it in a prompt.
local M = {}

local api = vim.api

--- Returns a name for a context that no other one in the prompt has.
---@param s { id: string }
---@param name string that it would have
---@return string
function M.free_name(s, name)
  local attached, base, n = require("nvim-acp.prompt.mention").attached(s), name:gsub("%(.*", ""):gsub('["%c]', ""), 1
  base = base ~= "" and base or "text"
  local try = base
  while attached[try] do
    n = n + 1
    try = base .. "-" .. n
  end
  return try
end

--- Returns the mention of a resolved context, which the prompt then remembers.
---@param s acp.Session
---@param resolved table
---@return string
function M.word(s, resolved)
  local mention, written = require("nvim-acp.prompt.mention"), require("nvim-acp.files.mention")
  if resolved.path and not resolved.path:find("\n") then
    local name = require("nvim-acp.prompt.path").name(s, resolved.path)
    local text = written.write(name, resolved.first, resolved.last)
    local m = written.scan(text)[1]
    if resolved.first and m then -- lines keep the text of this moment
      mention.attach(s, m.name, resolved)
      require("nvim-acp.prompt.lines").follow(s, name, m.name, resolved)
    end
    return text
  end
  local name = M.free_name(s, resolved.name)
  mention.attach(s, name, resolved)
  return written.write(name)
end

-- Returns the function around the cursor of the current window.
local function around(s)
  local range, problem = require("nvim-acp.prompt.context").function_range()
  if not range then
    require("nvim-acp.ui.message").warn(problem --[[@as string]])
    return {}
  end
  return { require("nvim-acp.prompt.context").lines_of(api.nvim_get_current_buf(), s, range[1], range[2]) }
end

-- Returns the name of a field of a context that is of another type than it must be.
local function odd(context)
  for _, field in ipairs({ "file", "text", "name", "image", "record", "kind" }) do
    if context[field] ~= nil and type(context[field]) ~= "string" then
      return field
    end
  end
end

--- Resolves a context in the current window; returns an empty list, with a message, if there is nothing of the kind.
---@param s acp.Session
---@param context acp.Context
---@return table[]
function M.all(s, context)
  local c, field = require("nvim-acp.prompt.context"), odd(context)
  if field then
    return { { name = field, kind = "", problem = "it must be a string" } }
  elseif not context.kind then
    return { c.resolve(context) }
  elseif context.kind == "function" then
    return around(s)
  elseif not c.names[context.kind] then
    require("nvim-acp.ui.message").error(('unknown kind of context "%s"'):format(tostring(context.kind)))
    return {}
  end
  local wrong = context.range and require("nvim-acp.files.lines").wrong(context.range)
  if wrong then
    require("nvim-acp.ui.message").error(wrong)
    return {}
  end
  local all = c.named(context.kind, s, context.range)
  if #all == 0 then
    require("nvim-acp.ui.message").info(("nothing to add: there is no %s"):format(context.kind))
  end
  return all
end

--- Resolves a context that is to be added to a prompt, as M.all does; a file that is not there is an error.
---@param s acp.Session
---@param context acp.Context
---@return table[]
function M.added(s, context)
  return vim.tbl_filter(function(c)
    local there = not c.path or c.loaded or vim.uv.fs_stat(c.path)
    local problem = not there and "no such file" or c.problem
    if problem then
      local name = c.path and vim.fn.fnamemodify(c.path, ":~:.") or c.name
      require("nvim-acp.ui.message").error(("%s: %s"):format(problem, name))
    end
    return not problem
  end, M.all(s, context))
end

--- Follows the lines of files among resolved contexts, while the user is asked for something.
---@param list table[]
---@return fun() take gives them the numbers and the text that they have then
---@return fun() drop ends it where nothing is sent
function M.follow(list)
  local lines, followed = require("nvim-acp.files.lines"), {}
  for _, c in ipairs(list) do
    local buf = c.first and c.loaded and require("nvim-acp.files.buffer").find(c.path)
    if buf then
      table.insert(followed, { c, lines.follow(buf, c.first, c.last) })
    end
  end
  return function()
    for _, f in ipairs(followed) do
      local range, problem = lines.take(f[2])
      if range then
        require("nvim-acp.prompt.context").renumber(f[1], f[2].buf, range)
      else
        local why = ("%s is sent as it was: %s"):format(f[1].name, problem)
        require("nvim-acp.ui.message").warn(why, { problem })
        f[1].path, f[1].first, f[1].last, f[1].loaded = nil, nil, nil, false -- a text: there are no such lines
      end
    end
  end, function()
    for _, f in ipairs(followed) do
      lines.drop(f[2])
    end
  end
end

--- Stands for a session that is yet to be created.
---@return { id: string, cwd: string }
function M.nobody()
  return { id = "", cwd = vim.fn.getcwd() }
end

--- Resolves contexts in the current window, for a session or for one that is yet to be created.
---@param s acp.Session?
---@param contexts acp.Context[]?
---@return table[]
function M.each(s, contexts)
  local list = {}
  for _, context in ipairs(contexts or {}) do
    vim.list_extend(list, M.all(s or M.nobody(), context))
  end
  return list
end

return M
