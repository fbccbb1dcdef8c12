--- The user's trust in a project's files: hashes of their content, stored by path.
local M = {}

--- The variables whose values a project's files may use; the host has the same list.
M.variables = {
  "HOME",
  "USER",
  "LOGNAME",
  "PATH",
  "SHELL",
  "LANG",
  "TMPDIR",
  "PWD",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
}

--- Returns the trusted hashes by path. The host reads that file too.
---@return table<string, string>
function M.hashes()
  return require("nvim-acp.config.store").read("trust")
end

return M
