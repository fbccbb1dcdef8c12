--- The buffers of a session, and the windows that show them.
local M = {}

---@alias acp.BufferKind "transcript"|"prompt"

---@type table<string, table<acp.BufferKind, integer>> by session
local buffers = {}

local function loaded(s, kind)
  local buf = (buffers[s.id] or {})[kind]
  return buf and vim.api.nvim_buf_is_loaded(buf) and buf or nil
end

--- Returns the transcript's buffer, if there is one.
---@param s acp.Session
---@return integer?
function M.transcript(s)
  return loaded(s, "transcript")
end

--- Returns the prompt's buffer, if there is one.
---@param s acp.Session
---@return integer?
function M.prompt(s)
  return loaded(s, "prompt")
end

-- What stands between the parts of a chat's name, with spaces that do not break: the name has no scheme, which the tab
-- line would show as "a//", and :mksession keeps nothing but the name.
local between = "\u{a0}·\u{a0}"

-- Gives a buffer a name, with a number behind it if another buffer has that one. The name is relative to the current
-- directory, which may have changed since another was given.
local function rename(buf, wanted)
  local old = vim.api.nvim_buf_get_name(buf)
  local others = {}
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    others[vim.fn.bufname(other)] = other ~= buf or nil
  end
  local name, n = wanted, 1
  while others[name] do
    n = n + 1
    name = ("%s (%d)"):format(wanted, n)
  end
  if not pcall(vim.api.nvim_buf_set_name, buf, name) or old == "" then
    return
  end
  for _, other in ipairs(vim.api.nvim_list_bufs()) do -- the old name remains as a buffer of its own
    if other ~= buf and vim.api.nvim_buf_get_name(other) == old and not vim.api.nvim_buf_is_loaded(other) then
      pcall(vim.api.nvim_buf_delete, other, { force = true })
    end
  end
end

--- Names the buffers of a session after its agent and title, for the tab line, pickers and lists of buffers.
---@param s acp.Session
function M.name(s)
  local line = require("nvim-acp.ui.text").line
  local parts = { line(s.agent_title, 40), s.title ~= "" and line(s.title, 60) or "new chat" }
  local name = table.concat(parts, between):gsub("[/\\]", "-")
  for kind, suffix in pairs({ transcript = "", prompt = between .. "prompt" }) do
    local buf = loaded(s, kind)
    if buf and vim.b[buf].acp_name ~= name then
      vim.b[buf].acp_name = name
      rename(buf, name .. suffix)
    end
  end
end

--- Returns whether a buffer is what :mksession has made of one of ours: empty, with such a name and without a file.
---@param buf integer
---@return boolean
function M.restored(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype ~= "" or vim.b[buf].acp_session ~= nil then
    return false -- other plugins have buffers with such names, which are not ordinary ones
  end
  local empty = vim.api.nvim_buf_line_count(buf) <= 1 and not vim.bo[buf].modified
  local chat = vim.fs.basename(name):find(between, 1, true) ~= nil
  return name:match("^acp://") ~= nil or chat and empty and vim.uv.fs_lstat(name) == nil
end

--- Creates a buffer of a session, which must have none of that kind.
---@param s acp.Session
---@param kind acp.BufferKind
---@param filetype string
---@return integer buf
function M.create(s, kind, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.b[buf].acp_session = s.id
  vim.b[buf].acp_kind = kind
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  buffers[s.id] = buffers[s.id] or {}
  buffers[s.id][kind] = buf
  M.name(s)
  vim.bo[buf].filetype = filetype
  return buf
end

--- Deletes the buffers of a session.
---@param s acp.Session
function M.delete(s)
  for _, buf in pairs(buffers[s.id] or {}) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
  buffers[s.id] = nil
end

---@param s acp.Session
---@param kind acp.BufferKind
---@param tab integer? only windows of this tab
---@return integer[] windows
function M.windows(s, kind, tab)
  local buf = loaded(s, kind)
  if not buf then
    return {}
  end
  return vim.tbl_filter(function(win)
    return tab == nil or vim.api.nvim_win_get_tabpage(win) == tab
  end, vim.fn.win_findbuf(buf))
end

---@param s acp.Session
---@return boolean shown in the current tab
function M.shown(s)
  return #M.windows(s, "transcript", vim.api.nvim_get_current_tabpage()) > 0
end

return M
