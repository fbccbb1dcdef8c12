--- Lines in a transcript that is empty: why the chat cannot start. They are virtual, so that nothing copies them.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.first")

-- Returns lines of at most width cells, broken at spaces.
local function wrap(text, width)
  local lines, line = {}, ""
  for word in text:gmatch("%S+") do
    if line ~= "" and api.nvim_strwidth(line .. " " .. word) > width then
      table.insert(lines, line)
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  table.insert(lines, line)
  return lines
end

local function add(lines, text, group, width)
  for _, line in ipairs(wrap(require("nvim-acp.ui.text").visible(text), math.max(width - 3, 10))) do
    table.insert(lines, { { "  " }, { line, group } })
  end
end

-- Returns the lines for a program that is not there.
local function unbuilt(width)
  local lines = { { { "" } } }
  local possible = require("nvim-acp.build").possible()
  add(lines, "The program nvim-acp is not built.", "AcpError", width)
  table.insert(lines, { { "" } })
  add(lines, possible and ":AcpBuild gets it." or "Install Go, then :AcpBuild builds it.", "AcpKey", width)
  add(lines, "Or put nvim-acp on your $PATH. What you have typed stays; send it then.", "AcpDone", width)
  return lines
end

local function empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

--- Draws the lines, if the transcript is empty.
---@param s acp.Session
function M.draw(s)
  local buf = require("nvim-acp.state.buffers").transcript(s)
  if not buf then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local width = empty(buf) and require("nvim-acp.ui.align").width(buf)
  local missing = width and s.state == "disconnected" and not require("nvim-acp.config.program").path()
  vim.b[buf].acp_unbuilt = missing or nil -- the connection then says nothing of it
  if missing then
    api.nvim_buf_set_extmark(buf, ns, 0, 0, { virt_lines = unbuilt(width) })
  end
end

return M
