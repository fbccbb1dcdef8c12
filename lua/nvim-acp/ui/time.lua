--- Short forms of times.
local M = {}

--- Returns how long ago a time was, in a word.
---@param time integer unix
---@return string
function M.age(time)
  local seconds = os.time() - time
  if time == 0 then
    return ""
  elseif seconds < 60 then
    return "now"
  elseif seconds < 3600 then
    return ("%d min"):format(seconds / 60)
  elseif seconds < 24 * 3600 then
    return ("%d h"):format(seconds / 3600)
  elseif seconds < 7 * 24 * 3600 then
    return os.date("%a", time) --[[@as string]]
  end
  return os.date("%Y-%m-%d", time) --[[@as string]]
end

return M
