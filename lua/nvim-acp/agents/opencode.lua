return {
  title = "OpenCode",
  command = "opencode",
  args = { "acp" },
  env = {},
  install = "npm install -g opencode-ai",
  login = "run `opencode auth login`",
  quirks = { reads_skills = true },
}
