-- One connection for all agents of a Neovim, which the first of them makes. What the server has no room for on it, by
-- its MaxSessions, gets another one, quietly.
local batch = { "-o", "BatchMode=yes" }
local alive = { "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-o", "ConnectTimeout=15" }
local loud, quiet = { "-o", "LogLevel=ERROR" }, { "-o", "LogLevel=QUIET" }

local function words(...)
  return vim.iter({ ... }):flatten(math.huge):totable()
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
  master = words(
    { "ssh", "-T", "-M", "-S", "{socket}", "-o", "ControlPersist=no" },
    { alive, batch, loud, "{args}", "{host}" }
  ),
  wrap = words(
    { "ssh", "-T", "-S", "{socket}", "-o", "ControlMaster=no" },
    { alive, batch, quiet, "{args}", "{host}" }
  ),
  tty = words(
    { "ssh", "-tt", "-e", "none", "-S", "{socket}", "-o", "ControlMaster=no" },
    { alive, batch, quiet, "{args}", "{host}" }
  ),
  check = words({ "ssh", "-o", "ConnectTimeout=5" }, { batch, loud, "{args}", "{host}", "true" }),
}
