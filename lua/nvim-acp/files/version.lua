--- What an answer to the host says of the version of its file that a buffer has read or written: the number of the last
--- notification about it, so that the host knows which of the two is newer, and whether the user's save has failed.
local M = {}

local count = 0
---@type table<integer, integer> by buffer
local last = {}
---@type table<integer, boolean> buffers that the user saves, or could not save
local unwritten = {}

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

--- Records that the user's save of a buffer begins, or is over.
---@param buf integer
---@param begins boolean
function M.saves(buf, begins)
  unwritten[buf] = begins or nil
end

--- Reports whether the user's last save of a buffer has begun and is not over: if it is not under way, it has failed.
---@param buf integer
---@return boolean
function M.unwritten(buf)
  return unwritten[buf] ~= nil and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified
end

--- Drops what is known of an unloaded buffer, or with nil of all of them.
---@param buf integer?
function M.forget(buf)
  if buf then
    last[buf], unwritten[buf] = nil, nil
  else
    last, unwritten = {}, {}
  end
end

return M
