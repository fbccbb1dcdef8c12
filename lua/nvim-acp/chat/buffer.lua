--- The buffer of a transcript.
local M = {}

--- Returns the transcript's buffer, which is created if needed.
---@param s acp.Session
---@return integer buf, boolean new
function M.ensure(s)
  local buffers = require("nvim-acp.state.buffers")
  local buf = buffers.transcript(s)
  if buf then
    return buf, false
  end

  buf = buffers.create(s, "transcript", "acp-chat")
  vim.bo[buf].undolevels = -1
  vim.bo[buf].tabstop = 4
  require("nvim-acp.ui.hang").buffer(buf)
  require("nvim-acp.ui.fixed").fix(buf)
  require("nvim-acp.chat.unread").attach(s, buf)
  require("nvim-acp.chat.visible_rows").attach(s, buf)
  require("nvim-acp.state").announce("buffer", s, "transcript", buf)
  return buf, true
end

return M
