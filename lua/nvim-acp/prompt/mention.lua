--- Mentions: words of a prompt that add context.
local M = {}

---@type table<string, table<string, table>> resolved names, by session and name
local attached = {}

--- Reports whether a mention resolves. It may access the disk.
---@param s acp.Session
---@param m acp.Mention
---@return boolean
function M.known(s, m)
  if (attached[s.id] or {})[m.name] or require("nvim-acp.prompt.context").names[m.name] then
    return true
  end
  local stat = vim.uv.fs_stat(require("nvim-acp.prompt.path").absolute(s, m.path))
  return stat ~= nil and (stat.type == "file" or (stat.type == "directory" and not m.first))
end

--- Binds a name of a session's prompt to a context.
---@param s acp.Session
---@param name string
---@param resolved table
function M.attach(s, name, resolved)
  attached[s.id] = attached[s.id] or {}
  attached[s.id][name] = resolved
end

--- Returns the bound names of a session's prompt; with a table, sets them.
---@param s acp.Session
---@param all table<string, table>?
---@return table<string, table>
function M.attached(s, all)
  attached[s.id] = all or attached[s.id] or {}
  return attached[s.id]
end

---@param s acp.Session
function M.forget(s)
  attached[s.id] = nil
end

-- Resolves a mention.
local function resolve(s, m)
  local context = require("nvim-acp.prompt.context")
  local given = (attached[s.id] or {})[m.name]
  if given then
    return { vim.tbl_extend("force", given, { as = m.name }) }
  elseif context.names[m.name] then
    return context.named(m.name, s)
  elseif M.known(s, m) then
    local range = m.first and { m.first, m.last } or nil
    return {
      context.resolve({ file = require("nvim-acp.prompt.path").absolute(s, m.path), range = range, name = m.name }),
    }
  end
  return {}
end

-- Returns the mentions in a prompt's text, without duplicates.
local function mentions(text)
  local all, seen = {}, {}
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    for _, m in ipairs(line:find("@", 1, true) and require("nvim-acp.files.mention").scan(line) or {}) do
      if not seen[m.name] then
        seen[m.name] = true
        table.insert(all, m)
      end
    end
  end
  return all
end

--- Returns a prompt's text with another name where it mentions one.
---@param text string
---@param name string
---@param new string
---@return string
function M.renamed(text, name, new)
  local written = require("nvim-acp.files.mention")
  local lines = vim.split(text, "\n", { plain = true })
  for i, line in ipairs(lines) do
    for _, m in vim.iter(written.scan(line)):rev():enumerate() do
      if m.name == name then
        lines[i] = lines[i]:sub(1, m.from) .. written.write(new) .. lines[i]:sub(m.to + 1)
      end
    end
  end
  return table.concat(lines, "\n")
end

--- Returns the names that a prompt's text mentions, whatever they stand for.
---@param text string
---@return string[]
function M.names(text)
  return vim.tbl_map(function(m)
    return m.name
  end, mentions(text))
end

--- Returns the context that a prompt's text mentions, without duplicates.
---@param s acp.Session
---@param text string
---@return table[]
function M.resolve(s, text)
  local all = {}
  for _, m in ipairs(mentions(text)) do
    for _, c in ipairs(resolve(s, m)) do
      table.insert(all, vim.tbl_extend("force", c, { mentioned = true, word = m.name }))
    end
  end
  return all
end

--- Reports whether a line consists of mentions only.
---@param line string
---@return boolean
function M.only(line)
  local from = 0
  for _, m in ipairs(require("nvim-acp.files.mention").scan(line)) do
    if line:sub(from + 1, m.from):match("%S") then
      return false
    end
    from = m.to
  end
  return from > 0 and not line:sub(from + 1):match("%S")
end

return M
