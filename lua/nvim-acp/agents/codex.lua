return {
  title = "Codex",
  command = "codex-acp",
  args = {},
  env = {},
  install = "npm install -g @agentclientprotocol/codex-acp",
  login = "run `codex login`",
  quirks = { reads = "disk", reads_skills = true },
  settings = {
    { name = "home", type = "path", env = "CODEX_HOME", help = "folder of its configuration and login" },
  },
}
