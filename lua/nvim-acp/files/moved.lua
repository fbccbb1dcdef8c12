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

--- Returns where lines are once hunks are replaced, nil if one of these removes all of them.
---@param first integer 1-based
---@param last integer
---@param hunks { [1]: integer, [2]: integer, [3]: integer }[] as above
---@return integer? first
---@return integer? last
function M.lines(first, last, hunks)
  local function removed(from)
    return vim.iter(hunks):any(function(h)
      return h[1] < from and last <= h[2] and h[3] == 0
    end)
  end
  if removed(first) then
    return nil
  end
  return M.after(first - 1, hunks) + 1, M.after(last - 1, hunks) + (removed(last) and 0 or 1)
end

return M
