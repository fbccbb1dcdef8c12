--- Processes, also after their ids may have become others'.
local M = {}

---@class acp.Process
---@field machine string where the id counts
---@field pid integer
---@field mark string what another process with that id would hardly have

---@type acp.Process?
local own

--- Returns a name that is the same for all programs that know a process by the same id, as in host/attach/record.go.
---@return string
function M.machine()
  return vim.uv.os_gethostname() .. " " .. (vim.uv.fs_readlink("/proc/self/ns/pid") or "")
end

-- Returns the mark of a process: when it was started, or its name where there is no /proc; nil if there is none.
local function mark(pid)
  if vim.uv.fs_stat("/proc/self/stat") then
    local stat = require("nvim-acp.ui.disk").head(("/proc/%d/stat"):format(pid), 1024)
    local fields = vim.split(stat and stat:match(".*%) (.*)") or "Z", " ") -- from the third one, its state
    return fields[1] ~= "Z" and fields[20] or nil
  end
  local ok, proc = pcall(vim.api.nvim_get_proc, pid)
  return ok and type(proc) == "table" and proc.name or nil
end

--- Returns a process of this machine.
---@param pid integer
---@return acp.Process
function M.of(pid)
  return { machine = M.machine(), pid = pid, mark = mark(pid) or "" }
end

--- Returns this process.
---@return acp.Process
function M.own()
  own = own or M.of(vim.uv.os_getpid())
  return own
end

--- Reports whether a process of this machine still runs; nil if it is of another one.
---@param process any as M.own has returned it there
---@return boolean?
function M.lives(process)
  if type(process) ~= "table" or type(process.pid) ~= "number" or process.machine ~= M.machine() then
    return nil
  end
  return mark(process.pid) == process.mark
end

return M
