--- The one way by which a user's answer leaves: what must be read of a request has been on the screen before anything
--- allows it, an option, a rule or an edited text; what can only be rejected is only rejected.
local M = {}

local float = require("nvim-acp.permission.float")

-- The last line that must have been on the screen, the text to it, and whether it was; of which request.
local last, must, ended = 0, "", false
local of ---@type string?

-- Returns what the float shows in a row of the screen, without blanks and the mark of a line whose beginning is above.
local function row_text(row)
  local first = vim.api.nvim_win_get_position(float.win)[2] + 2
  local cells = {}
  for col = first, first + vim.api.nvim_win_get_width(float.win) - 1 do
    table.insert(cells, vim.fn.screenstring(row, col))
  end
  return (table.concat(cells):gsub("^<<<", ""):gsub("%s+", ""))
end

-- Reports whether the end of the text is on the screen. Neovim is wrong about where it draws some lines that are longer
-- than the window, so the row is looked at.
local function drawn()
  local line = vim.fn.getbufline(float.buf, last)[1] or ""
  local text = line:gsub("%s+$", "")
  local pos = require("nvim-acp.ui.window").line_end(float.win, last, #text)
  if not pos then
    return false
  end
  vim.cmd.redraw()
  local seen = row_text(pos.row)
  local shaped = require("nvim-acp.ui.shaped") -- the text may have such forms, too
  return text == "" or seen ~= "" and vim.endswith(shaped.letters((text:gsub("%s+", ""))), shaped.letters(seen))
end

--- Notes whether the end of what must be read is on the screen.
---@return boolean ended it is, or was
function M.look()
  if not ended and float.open() and float.id == of and drawn() then
    ended = true
  end
  return ended
end

--- Notes what must be read before a request can be allowed. What was read stays read while other lines come and go.
---@param p acp.Permission
---@param lines string[]
---@param above integer lines before those of the request
function M.note(p, lines, above)
  last = p.must and p.must > 0 and p.must + above or #lines
  of = p.id
  local text = p.id .. "\n" .. table.concat(lines, "\n", 1, last)
  if text ~= must then
    must, ended = text, false
  end
end

--- Returns the last line that must be read of the request that is shown.
---@return integer
function M.last()
  return last
end

local function why_not(p)
  return p.large and "it is too large to be read here: it can only be rejected"
    or p.wait and "its file is being read: a moment"
    or p.whole and not (M.look() and of == p.id) and "read it to the end first: G shows it"
    or nil
end

--- Reports whether a request can be allowed now, and says why not.
---@param p acp.Permission
---@return boolean
function M.may_allow(p)
  local why = why_not(p)
  if why then
    require("nvim-acp.ui.message").warn(why)
  end
  return not why
end

-- Reports whether a user's answer may leave: that to a request that still waits, of which what it allows was read.
local function may_leave(s, p, id)
  local option = vim.iter(p.options):find(function(o)
    return o.id == id
  end)
  local waits = require("nvim-acp.permission.pending").waits(s, p.id, option and option.name or id)
  return waits and (option ~= nil and option.kind:match("^reject") ~= nil or M.may_allow(p))
end

--- Answers with an option.
---@param s acp.Session
---@param p acp.Permission
---@param option string its id
---@param by "user"|"function"
---@param reason string? reason of a rejection, for the agent
---@return boolean sent
function M.answer(s, p, option, by, reason)
  if by == "user" and not may_leave(s, p, option) then
    return false
  end
  local args = { id = p.id, option = option, version = p.version, by = by, reason = reason }
  require("nvim-acp.state").notify(s, "permit", args)
  return true
end

--- Makes a rule that allows a request, and what is like it.
---@param s acp.Session
---@param p acp.Permission
---@param rule string one that is suggested for it
---@param scope "session"|"project"
function M.rule(s, p, rule, scope)
  if require("nvim-acp.permission.pending").waits(s, p.id, rule) and M.may_allow(p) then
    local args = { id = p.id, version = p.version, text = rule, scope = scope }
    require("nvim-acp.state").notify(s, "rule_add", args)
  end
end

--- Asks for the text that a request would write, which the user can change and allow.
---@param s acp.Session
---@param p acp.Permission
function M.propose(s, p)
  if M.may_allow(p) then
    require("nvim-acp.state").notify(s, "propose", { id = p.id, version = p.version })
  end
end

--- Allows a write with the text that the user has edited.
---@param s acp.Session
---@param p { id: string, version: integer, option: string, path: string }
---@param text string
function M.edited(s, p, text)
  local args = { id = p.id, option = p.option, version = p.version, by = "user" }
  args.changed, args.path, args.text = true, p.path, text
  require("nvim-acp.state").notify(s, "permit", args)
end

return M
