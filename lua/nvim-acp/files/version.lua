--- Numbers of the notifications about versions that buffers have read or written: an answer to the host names the last
--- one, so that the host knows which of the two is newer.
local M = {}

local count = 0
---@type table<integer, integer> by buffer
local last = {}

--- Returns the number of the last notification about a buffer, 0 if there was none.
---@param buf integer
---@return integer
function M.last(buf)
  return last[buf] or 0
end

--- Returns the number of the next notification about a buffer.
---@param buf integer
---@return integer
function M.next(buf)
  count = count + 1
  last[buf] = count
  return count
end

--- Drops the number of an unloaded buffer, or with nil of all of them.
---@param buf integer?
function M.forget(buf)
  if buf then
    last[buf] = nil
  else
    last = {}
  end
end

return M
