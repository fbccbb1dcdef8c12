--- What an agent is told about lines of a buffer.
local M = {}

local api = vim.api

-- The most lines and bytes that can be asked about, and those around them that are sent: above as much as below.
local max_lines, max_bytes = 5000, 256 * 1024
local around_lines, around_bytes = 400, 24 * 1024

local function bytes(buf, first, last)
  return api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, first)
end

-- Returns why lines of a buffer cannot be asked about, or nil.
local function problem_of(buf, range, kind)
  if vim.b[buf].acp_kind or vim.bo[buf].buftype ~= "" and vim.bo[buf].buftype ~= "acwrite" then
    return "this is no buffer of a file"
  elseif kind == "edit" and not vim.bo[buf].modifiable then
    return "not changed: 'modifiable' is off"
  elseif range[2] - range[1] >= max_lines then
    return "too many lines for one answer; :AcpSend asks in a chat"
  end
  local size = bytes(buf, range[1] - 1, range[2])
  if size > max_bytes then
    local what = range[1] == range[2] and "this line is" or "these lines are"
    return ("%s too long for one answer (%d KiB); :AcpSend asks about it in a chat"):format(what, size / 1024)
  end
end

--- Returns why lines in places cannot be changed now, or nil: an agent is at work there, or its answer waits.
---@param places acp.Place[]
---@return string?
function M.busy(places)
  local keys = require("nvim-acp.config").options.keys
  for _, p in ipairs(places) do
    if p.phase == "working" and p.kind == "ask" then
      return "a question about these lines is not answered yet"
    elseif p.phase == "working" then
      return "these lines are being edited already"
    elseif p.kind == "edit" then
      local ways = {}
      if keys.edit_take then
        table.insert(ways, ("%s %s it"):format(keys.edit_take, p.phase == "words" and "reads" or "takes"))
      end
      if keys.edit_drop then
        table.insert(ways, keys.edit_drop .. " drops it")
      end
      local line = require("nvim-acp.edit.place").rows(p) + 1
      local how = #ways > 0 and ": there " .. table.concat(ways, ", ") or ""
      return ("an answer waits at line %d%s"):format(line, how)
    end
  end
end

--- Returns why lines of a buffer cannot be asked about now, else the answers there, which give way.
---@param buf integer
---@param range { [1]: integer, [2]: integer } 1-based
---@param kind "edit"|"ask"
---@return string? problem
---@return acp.Place[] there
function M.refused(buf, range, kind)
  local there = kind == "edit" and require("nvim-acp.edit.place").overlapped(buf, range) or {}
  return problem_of(buf, range, kind) or M.busy(there), there
end

-- Returns the rows around others, as far as their lines may be sent.
local function around(buf, first, last)
  local above, below, count = first, last, api.nvim_buf_line_count(buf)
  while above > 0 and first - above < around_lines and bytes(buf, above - 1, first) <= around_bytes do
    above = above - 1
  end
  while below < count and below - last < around_lines and bytes(buf, last, below + 1) <= around_bytes do
    below = below + 1
  end
  return above, below
end

local function diagnostics(buf, first, last)
  local list = {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.lnum < last and (d.end_lnum or d.lnum) >= first and #list < 50 then
      local severity = vim.diagnostic.severity[d.severity]
      table.insert(list, ("line %d, column %d: %s: %s"):format(d.lnum + 1, d.col + 1, severity, d.message))
    end
  end
  return list
end

--- Returns a name of lines, for the user.
---@param buf integer
---@param first integer row, from 0
---@param last integer the row after
---@return string
function M.name(buf, first, last)
  return require("nvim-acp.files.lines").name(buf, first + 1, last)
end

--- Returns the request about a place as it is now.
---@param p acp.Place
---@param instruction string
---@param again boolean it is about an answer
---@return table see edit.Request in host/edit
function M.of(p, instruction, again)
  local buf = p.buf
  local first, last = require("nvim-acp.edit.place").rows(p)
  local above, below = around(buf, first, last)
  local path = api.nvim_buf_get_name(buf)
  return {
    kind = p.kind,
    path = path,
    name = M.name(buf, first, last),
    language = vim.bo[buf].filetype,
    first = first + 1,
    last = math.max(last, first + 1),
    lines = api.nvim_buf_get_lines(buf, first, last, false),
    before = api.nvim_buf_get_lines(buf, above, first, false),
    after = api.nvim_buf_get_lines(buf, last, below, false),
    all = above == 0 and below == api.nvim_buf_line_count(buf),
    modified = vim.bo[buf].modified,
    diagnostics = diagnostics(buf, first, last),
    instruction = instruction,
    tab = vim.bo[buf].tabstop,
    seen = p.seen,
    again = again,
  }
end

--- Returns the request about the place of a session as its prompt is sent. Without its lines the place ends.
---@param session string
---@param instruction string
---@param again boolean
---@return table? request nil: there is nothing to ask about
function M.now(session, instruction, again)
  local place = require("nvim-acp.edit.place")
  if place.all[session] then
    place.settle(place.all[session])
  end
  local p = place.all[session]
  if not p or not api.nvim_buf_is_loaded(p.buf) then
    return nil
  end
  local first, last = place.rows(p)
  if first == last and not (again and p.kind == "ask") then
    place.on_gone(p)
    return nil
  end
  return M.of(p, instruction, again)
end

return M
