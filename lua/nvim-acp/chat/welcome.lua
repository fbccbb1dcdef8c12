--- Lines in a transcript that is empty: the first steps, or why the chat cannot start. They are virtual, so that
--- nothing copies them.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.first")

local function add(lines, text, group, width)
  local ui = require("nvim-acp.ui.text")
  for _, line in ipairs(ui.wrap(ui.visible(text), math.max(width - 3, 10))) do
    table.insert(lines, { { "  " }, { line, group } })
  end
end

-- Returns the lines for a program that is not there.
local function unbuilt(width)
  local lines = { { { "" } } }
  local possible = require("nvim-acp.build").possible()
  add(lines, "The program nvim-acp is not built.", "AcpError", width)
  table.insert(lines, { { "" } })
  add(lines, possible and ":AcpBuild installs it." or "Install Go, then :AcpBuild builds it.", "AcpKey", width)
  add(lines, "Or put nvim-acp on your $PATH. What you have typed is kept; send it afterwards.", "AcpDone", width)
  return lines
end

-- Reports whether the user is in Insert mode in the prompt of a session: other keys act there.
local function typing(s)
  local prompt = require("nvim-acp.state.buffers").prompt(s)
  return api.nvim_get_current_buf() == prompt and api.nvim_get_mode().mode:sub(1, 1) == "i"
end

-- Returns a key of Normal mode as the user has to type it.
local function from_here(s, key)
  return typing(s) and key:sub(1, 1) ~= ":" and "<Esc>" .. key or key
end

-- Returns the keys that help to begin and what they do, the most important first.
local function steps(s)
  local keys = require("nvim-acp.config").options.keys
  local list = { { "i", "write" }, { keys.send_normal, "send" }, { "@", "files and more" } }
  if typing(s) then
    list = { { keys.send_insert, "send" }, { "@", "files and more" } }
  end
  table.insert(list, #s.commands > 0 and { "/", "commands" } or nil)
  table.insert(list, s.mode and { keys.cycle_mode, "mode" } or nil)
  return vim.tbl_filter(function(step)
    return step[1]
  end, list)
end

-- Returns the widths of the keys and texts in a number of columns, and that of all of them.
local function measure(list, columns)
  local widths, total = {}, 2
  for i, step in ipairs(list) do
    local column = (i - 1) % columns + 1
    local w = widths[column] or { 0, 0 }
    widths[column] = { math.max(w[1], api.nvim_strwidth(step[1])), math.max(w[2], api.nvim_strwidth(step[2])) }
  end
  for i, w in ipairs(widths) do
    total = total + w[1] + 2 + w[2] + (i < #widths and 3 or 0)
  end
  return widths, total
end

-- Adds the steps, in as many columns as fit, at most three.
local function add_steps(lines, list, width)
  local columns = 3
  while columns > 1 and select(2, measure(list, columns)) > width do
    columns = columns - 1
  end
  local widths = measure(list, columns)
  local cut = require("nvim-acp.ui.text").line
  for i = 1, #list, columns do
    local row = { { "  " } }
    for j = i, math.min(i + columns - 1, #list) do
      local w, key = widths[j - i + 1], list[j][1]
      local text = cut(list[j][2], math.max(width - w[1] - 4, 1))
      table.insert(row, { key, "AcpKey" })
      table.insert(row, { (" "):rep(w[1] - api.nvim_strwidth(key) + 2) .. text, "AcpDone" })
      table.insert(row, { (" "):rep(math.max(w[2] - api.nvim_strwidth(text) + 3, 0)) })
    end
    table.insert(lines, row)
  end
end

local longest = 80 -- cells of a title in an offer, which has several lines in a narrow chat

-- Adds a key and what it does, below each other's beginning where that has several lines.
local function add_offer(lines, key, text, width)
  local ui = require("nvim-acp.ui.text")
  local indent = api.nvim_strwidth(key) + 4
  if indent > width / 2 then
    add(lines, key, "AcpKey", width)
    return add(lines, text, "AcpDone", width)
  end
  for i, line in ipairs(ui.wrap(text, math.max(width - indent - 1, 10))) do
    local mark = i == 1 and { key, "AcpKey" } or { (" "):rep(indent - 4) }
    table.insert(lines, { { "  " }, mark, { "  " .. line, "AcpDone" } })
  end
end

-- Adds the offer of the folder's previous chat.
local function add_last(lines, s, width)
  local last = s.last
  if not last or require("nvim-acp.state").sessions[last.id] then
    return
  end
  local key = require("nvim-acp.config").options.keys.reopen or require("nvim-acp.ui.keys").to("AcpSessions")
  local title = require("nvim-acp.ui.text").line(last.title, longest)
  local text = ('resume "%s" · %s'):format(title, require("nvim-acp.ui.time").age(last.time))
  add_offer(lines, from_here(s, key), text, width)
end

-- Adds the offer of sessions of the folder that go on without Neovim.
local function add_detached(lines, s, width)
  local host = s.detached
  if not host then
    return
  end
  local key = require("nvim-acp.config").options.keys.attach or require("nvim-acp.ui.keys").to("AcpAttach")
  local parts = {}
  for _, other in ipairs(host.sessions) do
    local title = require("nvim-acp.ui.text").line(other.title, longest)
    local pending = #other.pending > 0 and (", %d to answer"):format(#other.pending) or ""
    local shown = title ~= "" and (', "%s"'):format(title) or ""
    table.insert(parts, ("%s %s%s%s"):format(other.name, other.state, pending, shown))
  end
  local more = #parts - 3
  if more > 0 then
    parts = vim.list_slice(parts, 1, 3)
    table.insert(parts, ("%d more"):format(more))
  end
  add_offer(lines, from_here(s, key), "attach: " .. table.concat(parts, "; "), width)
end

-- Returns the name of the file below a folder that was used last, relative to it.
local function recent(cwd)
  for _, buf in ipairs(require("nvim-acp.files.recent").list()) do
    if vim.bo[buf.bufnr].buftype == "" and vim.startswith(buf.name, cwd .. "/") then
      return buf.name:sub(#cwd + 2)
    end
  end
end

-- Returns the lines of a chat that can begin.
local function welcome(s, width)
  local lines = { { { "" } } }
  local where = (s.where or "") ~= "" and { s.where } or {}
  local head, line = { s.agent_title, vim.fn.fnamemodify(s.cwd, ":~") }, nil
  vim.list_extend(head, where)
  table.insert(head, s.mode and s.mode.name or nil)
  for _, part in ipairs(head) do
    local longer = line and line .. " · " .. part or part
    if line and api.nvim_strwidth(longer) > width - 3 then
      add(lines, line, "AcpHeading", width)
      longer = part
    end
    line = longer
  end
  add(lines, line, "AcpHeading", width)
  if s.autonomy then
    add(lines, s.autonomy, "AcpWarning", width)
  end
  table.insert(lines, { { "" } })
  add_steps(lines, steps(s), width)
  add_detached(lines, s, width)
  add_last(lines, s, width)
  local file = recent(s.cwd)
  if file and not file:find("%s") and not s.suggestion then
    table.insert(lines, { { "" } })
    add(lines, "Try: Explain @" .. file, "AcpDone", width)
  end
  return lines
end

local function empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

-- Where a window has no room for all lines, removes the empty ones, and the first of the others, which is returned to
-- be drawn over the line of the buffer.
local function fitted(s, lines)
  local least = math.huge
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "transcript", api.nvim_get_current_tabpage())) do
    least = math.min(least, api.nvim_win_get_height(win) - (vim.wo[win].winbar ~= "" and 1 or 0))
  end
  if #lines + 1 <= least then
    return nil
  end
  for i = #lines, 1, -1 do
    if lines[i][1][1] == "" then
      table.remove(lines, i)
    end
  end
  return table.remove(lines, 1)
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
  if not width then
    return
  end
  local lines = missing and unbuilt(width) or welcome(s, width)
  local first = fitted(s, lines) or {}
  local virtual = require("nvim-acp.ui.virtual")
  api.nvim_buf_set_extmark(buf, ns, 0, 0, {
    virt_text = virtual.text(first),
    virt_text_pos = "overlay",
    virt_lines = virtual.lines(lines),
  })
end

return M
