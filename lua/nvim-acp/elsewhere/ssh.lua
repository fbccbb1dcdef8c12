-- One connection for all: the line is its master, which ends with it.
local quiet = { "-o", "BatchMode=yes", "-o", "LogLevel=ERROR" }

local function words(...)
  return vim.iter({ ... }):flatten():totable()
end

return {
  title = "{host}",
  program = "ssh",
  install = "your package manager has it as openssh-client",
  options = {
    host = { type = "string", required = true },
    args = { type = "words" },
    login = { type = "boolean", default = true },
  },
  joined = true,
  reconnect = true,
  line = words(
    { "ssh", "-T", "-M", "-S", "{socket}", "-o", "ControlPersist=no" },
    { "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-o", "ConnectTimeout=15" },
    quiet,
    { "{args}", "{host}" }
  ),
  wrap = words({ "ssh", "-T", "-S", "{socket}", "-o", "ControlMaster=no" }, quiet, { "{args}", "{host}" }),
  tty = words(
    { "ssh", "-tt", "-e", "none", "-S", "{socket}", "-o", "ControlMaster=no" },
    quiet,
    { "{args}", "{host}" }
  ),
  check = words({ "ssh", "-o", "ConnectTimeout=5" }, quiet, { "{args}", "{host}", "true" }),
}
