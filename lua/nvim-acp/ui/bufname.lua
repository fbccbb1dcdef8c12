--- Names of our buffers, as the tab line, pickers and lists of buffers show them.
local M = {}

local api = vim.api

-- What stands between the parts of a name, with spaces that do not break: the name has no scheme, which the tab line
-- would show as "a//", and :mksession keeps nothing but the name.
local between = "\u{a0}·\u{a0}"

-- Returns a name that no other buffer has, with a number behind it if it must be. It is relative to the current
-- directory, which may have changed since another was given.
local function free(buf, wanted)
  local others = {}
  for _, other in ipairs(api.nvim_list_bufs()) do
    others[vim.fn.bufname(other)] = other ~= buf or nil
  end
  local name, n = wanted, 1
  while others[name] do
    n = n + 1
    name = ("%s (%d)"):format(wanted, n)
  end
  return name
end

local longest = 40 -- cells of a part: of a long name status lines cut the beginning, which says what it is

-- Returns a part of a name: one line, cut at a word.
local function clean(part)
  local text, cut = require("nvim-acp.ui.text").line(part, longest), require("nvim-acp.ui.style").icons().cut
  if vim.endswith(text, cut) and not vim.endswith(part, cut) then
    local words = text:match("^(.+)%s%S*$")
    text = words and api.nvim_strwidth(words) >= longest / 2 and words .. cut or text
  end
  return (text:gsub("[/\\]", "-"))
end

--- Names a buffer.
---@param buf integer
---@param parts string[] at least two: what it is, and of what
function M.set(buf, parts)
  local name, old = table.concat(vim.tbl_map(clean, parts), between), api.nvim_buf_get_name(buf)
  if old == "" then
    require("nvim-acp.ui.reedit").keep(buf)
  end
  if not pcall(api.nvim_buf_set_name, buf, free(buf, name)) or old == "" then
    return
  end
  for _, other in ipairs(api.nvim_list_bufs()) do -- the old name remains as a buffer of its own
    if other ~= buf and api.nvim_buf_get_name(other) == old and not api.nvim_buf_is_loaded(other) then
      pcall(api.nvim_buf_delete, other, { force = true })
    end
  end
end

--- Gives a buffer the name again that a command has taken from it.
---@param buf integer
---@param name string as nvim_buf_get_name() had it
function M.restore(buf, name)
  pcall(api.nvim_buf_set_name, buf, name)
end

--- Names the buffer of a float, by its title: the tab line would say "[Scratch]".
---@param buf integer
---@param title string
function M.float(buf, title)
  M.set(buf, { vim.trim(title), "nvim-acp" })
end

--- Reports whether a name is one of ours.
---@param name string
---@return boolean
function M.is_ours(name)
  return vim.fs.basename(name):find(between, 1, true) ~= nil
end

return M
