--- Protected calls for drawing: an error is reported once, and the rest is drawn.
local M = {}

---@type table<string, boolean> places whose errors were reported: a lasting error comes with each frame
local said = {}

---@param err string with its traceback
function M.failed(err)
  local place = err:match("^[^\n]-:%d+:") or err
  if not said[place] then
    said[place] = true
    require("nvim-acp.ui.message").error("draw: " .. err)
  end
end

--- Calls a function and reports an error once, unless text is locked while a key's expression is evaluated, which
--- passes.
---@param fn function
---@return boolean ok, any result, boolean? locked
function M.call(fn, ...)
  local ok, result = xpcall(fn, debug.traceback, ...)
  if ok then
    return true, result
  end
  local locked = result:match("E565") ~= nil
  if not locked then
    M.failed(result)
  end
  return false, nil, locked
end

return M
