--- The offer of this folder's previous chat in place of an empty one, and a line at the end of the host.
local M = {}

local lost_ns = vim.api.nvim_create_namespace("nvim-acp.lost")

--- Removes what `lost` has added once a frame has come.
---@param s acp.Session
function M.found(s)
  local buf = not s.lost and require("nvim-acp.state.buffers").transcript(s)
  if buf then
    vim.api.nvim_buf_clear_namespace(buf, lost_ns, 0, -1)
  end
end

--- Adds a line that the program has ended; a new one draws the transcript again.
---@param s acp.Session
function M.lost(s)
  local buf = require("nvim-acp.state.buffers").transcript(s)
  if buf and s.drawn then
    local lines = { { { "" } } }
    for _, text in ipairs({ "the program nvim-acp has ended;", "the next prompt starts it again" }) do
      table.insert(lines, { { text, "AcpDone" } }) -- two, since such lines do not wrap
    end
    local row = vim.api.nvim_buf_line_count(buf) - 1
    s.lost = true
    vim.api.nvim_buf_clear_namespace(buf, lost_ns, 0, -1)
    vim.api.nvim_buf_set_extmark(buf, lost_ns, row, 0, { virt_lines = require("nvim-acp.ui.virtual").lines(lines) })
  end
end

--- Opens the offered session in place of the empty one, and moves the draft there.
---@param s acp.Session
function M.take(s)
  local row = s.last and require("nvim-acp.sessions.records").find(s.last.id)
  if not row then
    return require("nvim-acp.ui.message").info("there is no previous chat of this folder")
  end
  row.title = s.last.title
  local id = require("nvim-acp.sessions").open(row)
  if not id then
    return
  end
  require("nvim-acp.prompt").move(s, require("nvim-acp.state").sessions[id])
  if #s.queue == 0 and (s.state == "idle" or s.state == "starting" or s.state == "disconnected") then
    require("nvim-acp.sessions").close(s.id)
  end
end

return M
