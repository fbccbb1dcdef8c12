return {
  title = "Codex",
  command = "codex-acp",
  args = {},
  env = {},
  folders = { "~/.codex/", "$CODEX_HOME/" },
  variables = { "OPENAI_*", "CODEX_*" },
  registry = "codex-acp",
  install = "npm install -g @agentclientprotocol/codex-acp",
  login = "run `codex login`",
  quirks = { reads = "disk", reads_skills = true, api_key = "object" },
  settings = {
    { name = "home", type = "path", env = "CODEX_HOME", help = "folder of its configuration and login" },
  },
}
