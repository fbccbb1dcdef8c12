return {
  title = "Codex",
  command = "codex-acp",
  args = {},
  env = {},
  install = "npm install -g @agentclientprotocol/codex-acp",
  login = "run `codex login`",
  quirks = { reads_skills = true },
}
