--- The line at which the user types: an edit never takes away what is left of their cursor.
local M = {}

local api = vim.api

---@type integer? the buffer in which the user has typed since Insert mode began
local typed
---@type table<integer, integer> the changedtick after the last edit of an agent, by buffer
local edited = {}

--- Watches for what the user types.
function M.follow()
  local group = api.nvim_create_augroup("nvim-acp.typing", { clear = true })
  local away -- for a command after <C-o>, which comes back to where the user types
  api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    group = group,
    callback = function(args)
      local back = away
      away = args.event == "InsertLeave" and api.nvim_get_mode().mode:sub(1, 2) == "ni"
      typed = (away or back) and typed or nil
    end,
  })
  api.nvim_create_autocmd({ "TextChangedI", "TextChangedP" }, {
    group = group,
    callback = function(args)
      typed = api.nvim_buf_get_changedtick(args.buf) ~= edited[args.buf] and args.buf or typed
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    callback = function(args)
      edited[args.buf] = nil
    end,
  })
end

---@class acp.Typing
---@field line string
---@field row integer 0-based
---@field col integer bytes to the left of the cursor

--- Returns the line at which the user types in a buffer, nil if they do not.
---@param buf integer
---@return acp.Typing?
function M.at(buf)
  if typed ~= buf or buf ~= api.nvim_get_current_buf() or api.nvim_get_mode().mode:sub(1, 1) ~= "i" then
    return nil
  end
  local cursor = api.nvim_win_get_cursor(0)
  return { line = api.nvim_get_current_line(), row = cursor[1] - 1, col = cursor[2] }
end

-- Returns the row at which the line is by now, and whether it is there: else it was there.
local function find(buf, was, hunks)
  local row = was.row
  for _, h in ipairs(hunks) do
    if was.row < h.first then
      break
    elseif was.row < h.last then
      local first = row - was.row + h.first
      local left = was.line:sub(1, was.col)
      for i, line in ipairs(api.nvim_buf_get_lines(buf, first, first + h.count, false)) do
        if left ~= "" and vim.startswith(line, left) or line == was.line then
          return first + i - 1, true
        end
      end
      return first + math.min(was.row - h.first, h.count), false
    end
    row = row + h.count - (h.last - h.first)
  end
  return row, true
end

--- Has the user type on, after an edit, at the same text as before. If the agent has taken it away it is put back: it
--- is the user's then.
---@param buf integer
---@param was acp.Typing?
---@param hunks { first: integer, last: integer, count: integer }[] of the edit, 0-based, first to last
function M.restore(buf, was, hunks)
  edited[buf] = api.nvim_buf_get_changedtick(buf)
  if not was or not M.at(buf) then
    return
  end
  local row, there = find(buf, was, hunks)
  if not there then
    vim.cmd("silent! undojoin") -- with the edit, so that undo gives back what was there
    api.nvim_buf_set_lines(buf, row, row, false, { was.line })
    vim.bo[buf].undolevels = vim.bo[buf].undolevels
  end
  local cursor = api.nvim_win_get_cursor(0)
  if cursor[1] ~= row + 1 or cursor[2] ~= was.col then
    api.nvim_win_set_cursor(0, { row + 1, was.col })
  end
  edited[buf] = api.nvim_buf_get_changedtick(buf)
end

return M
