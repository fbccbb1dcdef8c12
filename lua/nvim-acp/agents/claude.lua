return {
  title = "Claude Code",
  command = "claude-agent-acp",
  args = {},
  env = {},
  install = "npm install -g @agentclientprotocol/claude-agent-acp",
  login = "run `claude` once and log in",
  quirks = { reads_skills = true },
}
