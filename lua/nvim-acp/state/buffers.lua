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

--- Names the buffers of a session after its agent and title, for the tab line, pickers and lists of buffers.
---@param s acp.Session
function M.name(s)
  local agent, title = s.agent_title, s.title ~= "" and s.title or "new chat"
  for kind, parts in pairs({ transcript = { agent, title }, prompt = { agent, title, "prompt" } }) do
    local buf = loaded(s, kind)
    if buf and not vim.deep_equal(vim.b[buf].acp_name, parts) then
      vim.b[buf].acp_name = parts
      require("nvim-acp.ui.bufname").set(buf, parts)
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
  local ours = require("nvim-acp.ui.bufname").is_ours(name)
  return name:match("^acp://") ~= nil or ours and empty and vim.uv.fs_lstat(name) == nil
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
    require("nvim-acp.ui.deferred").delete(buf)
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
