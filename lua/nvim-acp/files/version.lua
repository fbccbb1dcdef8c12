--- Numbers of what the host was told of the versions that buffers have read or written: an answer of Neovim's names the
--- last one, so that the host knows which of the two is newer.
local M = {}

local count = 0
---@type table<integer, integer> by buffer
local last = {}

--- The number of the last notification about a buffer, 0 if there was none.
---@param buf integer
---@return integer
function M.last(buf)
  return last[buf] or 0
end

--- The number of the next notification about a buffer.
---@param buf integer
---@return integer
function M.next(buf)
  count = count + 1
  last[buf] = count
  return count
end

--- Forgets an unloaded buffer, or with nil all of them.
---@param buf integer?
function M.forget(buf)
  if buf then
    last[buf] = nil
  else
    last = {}
  end
end

return M
