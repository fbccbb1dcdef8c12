--- Buffers with unsaved changes: which they are, and how they are saved for an agent that reads the disk.
local M = {}

local api = vim.api
local option = api.nvim_get_option_value -- vim.bo is three times as slow, and there may be thousands of buffers

-- The most bytes of snapshots in one list, and what counts for each beside its text: Neovim is held meanwhile.
local room, beside = 256 * 1024, 8 * 1024

local function snapshot(file, buf, roots)
  local buffer = require("nvim-acp.files.buffer")
  local real = buffer.real(buf)
  if not require("nvim-acp.files.path").inside(real, roots) then
    return 0
  end
  local snap = buffer.snapshot(real, false)
  if snap.buf ~= buf then
    return 0
  end
  file.real, file.snapshot = real, snap
  return beside + #(snap.text or "")
end

--- Returns the files with unsaved changes, those below folders with snapshots as long as they fit one answer. Buffers
--- whose text is not their file's are left out.
---@param roots string[] real paths
---@return { name: string, real: string?, snapshot: table? }[] names are absolute
function M.list(roots)
  local files, size = {}, 0
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name, of = api.nvim_buf_get_name(buf), { buf = buf }
    local file = name:sub(1, 1) == "/" and api.nvim_buf_is_loaded(buf)
    local plain = file and option("buftype", of) == "" and option("modified", of)
    if plain and not require("nvim-acp.files.access").write_cmd(buf) then
      table.insert(files, { name = name })
      if size < room then
        local ok, more = pcall(snapshot, files[#files], buf, roots) -- without one the host asks for it
        size = size + (ok and more or 0)
      end
    end
  end
  return files
end

-- Setting 'undolevels' to itself ends the undo block: a formatter's changes are a step of their own.
local function undo_break(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- Saves a file as the user's `:write` does, with all autocommands.
---@param path string real path
---@return string problem why it is not saved; "" if it is
function M.save(path)
  local buf = require("nvim-acp.files.buffer").find(path)
  if not buf or not vim.bo[buf].modified then
    return ""
  end
  local reason = require("nvim-acp.files.mode").unsafe(buf)
  if reason or vim.bo[buf].readonly then
    return reason and "the editor waits for " .. reason or "the buffer is read-only"
  end
  if not require("nvim-acp.files.path").leads(buf, path) then
    return "its name leads to another file now"
  end
  undo_break(buf)
  local ok, err = pcall(api.nvim_buf_call, buf, function()
    vim.cmd("silent write")
  end)
  undo_break(buf)
  if ok or not vim.bo[buf].modified then
    return ""
  end
  return (tostring(err):gsub("^[^\n]-Vim%b():", ""):gsub("\n.*", ""))
end

return M
