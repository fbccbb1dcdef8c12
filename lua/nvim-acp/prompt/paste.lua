--- Turns a pasted path, which a terminal also sends for a dropped file, into a mention.
local M = {}

local wrapped = false

-- Returns the absolute path in a line, in the forms of terminals: quoted, with backslashes, or as a URL.
local function path_of(line)
  local text = vim.trim(line)
  text = text:match("^'(.*)'$") or text:match('^"(.*)"$') or text
  if text:match("^file://") then
    text = vim.uri_to_fname(text)
  end
  for _, path in ipairs({ text, (text:gsub("\\(.)", "%1")) }) do
    if path:sub(1, 1) == "/" and #path < 4096 and vim.uv.fs_stat(path) then
      return path
    end
  end
end

---@param s acp.Session
---@param lines string[]
---@return string[]? mentions nil if the lines are not all paths
function M.mentions(s, lines)
  local mention, out = require("nvim-acp.files.mention"), {}
  if #lines == 0 or #lines > 20 then
    return nil
  end
  for i, line in ipairs(lines) do
    local path = path_of(line)
    if not path and not (line == "" and i == #lines and i > 1) then
      return nil
    end
    table.insert(out, path and mention.write(require("nvim-acp.prompt.path").name(s, path)) .. " " or nil)
  end
  return { table.concat(out) }
end

--- Wraps vim.paste, once.
function M.setup()
  if wrapped then
    return
  end
  wrapped = true
  local paste = vim.paste
  vim.paste = function(lines, phase)
    local here = vim.b.acp_kind == "prompt" and require("nvim-acp.state").sessions[vim.b.acp_session]
    if here and phase < 2 and vim.api.nvim_get_mode().mode:match("^i") then
      lines = M.mentions(here, lines) or lines
    end
    return paste(lines, phase)
  end
end

return M
