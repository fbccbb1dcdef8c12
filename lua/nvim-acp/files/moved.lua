--- Where rows are after an edit.
local M = {}

--- Returns where a row, from 0, is once hunks are replaced.
---@param row integer
---@param hunks { [1]: integer, [2]: integer, [3]: integer }[] first, last (from 0, half open), count of new lines
---@return integer
function M.after(row, hunks)
  local shift = 0
  for _, h in ipairs(hunks) do
    if row < h[1] then
      break
    elseif row < h[2] then
      return h[1] + shift + math.max(math.min(row - h[1], h[3] - 1), 0)
    end
    shift = shift + h[3] - (h[2] - h[1])
  end
  return row + shift
end

return M
