--- Decides which buffers an agent may edit, and which differ from their files by design.
local M = {}

local api = vim.api

--- Reports whether one of some autocommands is for a file.
---@param cmds table[]
---@param name string absolute
---@return boolean
function M.meant(cmds, name)
  local tail = vim.fs.basename(name)
  for _, cmd in ipairs(cmds) do
    local pattern = not cmd.buflocal and cmd.pattern or ""
    if pattern ~= "" then
      local match = vim.fn.match(pattern:find("/", 1, true) and name or tail, vim.fn.glob2regpat(pattern))
      if match >= 0 then
        return true
      end
    end
  end
  return false
end

--- Reports whether a BufWriteCmd writes the buffer: its text is then not the file's.
---@param buf integer
---@param cmds table[]? all autocommands for BufWriteCmd, for who asks about many buffers
---@return boolean
function M.write_cmd(buf, cmds)
  cmds = cmds or api.nvim_get_autocmds({ event = "BufWriteCmd" })
  local own = vim.iter(cmds):any(function(cmd)
    return cmd.buffer == buf
  end)
  return own or M.meant(cmds, api.nvim_buf_get_name(buf))
end

-- Returns the process of another Neovim that has the file open, by its swap file, and whether it has unsaved changes.
local function owner(path)
  local tail = vim.fs.basename(path)
  for _, dir in ipairs(vim.split(vim.o.directory, ",")) do
    dir = dir == "." and vim.fs.dirname(path) or vim.fn.fnamemodify(dir, ":p")
    for name in vim.fs.dir(dir) do
      local swap = name:find(tail, 1, true) and name:match("%.s%a%a$") and dir .. "/" .. name
      local info = swap and require("nvim-acp.ui.own").is(swap, "file") and vim.fn.swapinfo(swap) -- a pipe never ends
      local pid = info and not info.error and info.pid or 0
      if pid ~= 0 and pid ~= vim.fn.getpid() then
        local of = vim.fn.fnamemodify(info.fname, ":p")
        if require("nvim-acp.files.path").real(of) == path then
          return pid, info.dirty == 1
        end
      end
    end
  end
end

--- Returns the reason why a file that no buffer here has must not be changed for the user, or nil.
---@param path string real path
---@return string? reason
function M.unsaved_elsewhere(path)
  local pid, dirty = owner(path)
  return dirty and ("another Neovim (process %d) has unsaved changes of it"):format(pid) or nil
end

--- Returns the reason why an agent must not edit a buffer, or nil.
---@param buf integer
---@param path string real path
---@return string? reason
function M.refused(buf, path)
  local bo = vim.bo[buf]
  if not bo.modifiable then
    return "the buffer is not modifiable"
  elseif bo.readonly then
    return "the buffer is read-only"
  elseif bo.buftype ~= "" and bo.buftype ~= "acwrite" then
    return ("the buffer is not a file's ('buftype' is %s)"):format(bo.buftype)
  end
  local pid = owner(path)
  return pid and ("another Neovim (process %d) has it open"):format(pid)
end

return M
