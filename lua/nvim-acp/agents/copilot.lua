return {
  title = "Copilot",
  command = "copilot",
  args = { "--acp" },
  env = {},
  folders = { "~/.copilot/" },
  variables = { "COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN" },
  registry = "github-copilot-cli",
  install = "npm install -g @github/copilot",
  login = "run `copilot login`",
  quirks = { reads = "disk", reads_skills = true, tokens = "session", refuses_stdio = true },
  settings = {
    { name = "model", type = "text", env = "COPILOT_MODEL", help = "model that it starts with" },
  },
}
