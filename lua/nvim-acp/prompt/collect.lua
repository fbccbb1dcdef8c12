--- What a context stands for in the current window, and the mention that names it in a prompt.
local M = {}

local api = vim.api

-- Returns a unique name in the prompt for a context without a path.
local function name_for(s, name)
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
  local name = name_for(s, resolved.name)
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

--- Resolves a context in the current window; returns an empty list, with a message, if there is nothing of the kind.
---@param s acp.Session
---@param context acp.Context
---@return table[]
function M.all(s, context)
  local c = require("nvim-acp.prompt.context")
  if not context.kind then
    return { c.resolve(context) }
  elseif context.kind == "function" then
    return around(s)
  elseif not c.names[context.kind] then
    require("nvim-acp.ui.message").error(('unknown kind of context "%s"'):format(tostring(context.kind)))
    return {}
  end
  local all = c.named(context.kind, s, context.range)
  if #all == 0 then
    require("nvim-acp.ui.message").info(("nothing to add: there is no %s"):format(context.kind))
  end
  return all
end

return M
