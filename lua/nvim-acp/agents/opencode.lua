return {
  title = "OpenCode",
  command = "opencode",
  args = { "acp" },
  env = {},
  folders = { "~/.config/opencode/", "~/.local/share/opencode/", "~/.local/state/opencode/" },
  variables = { "OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY" },
  registry = "opencode",
  install = "npm install -g opencode-ai",
  login = "run `opencode auth login`",
  quirks = { reads = "disk", reads_skills = true, tokens = "request", process_per_session = true },
  settings = {
    { name = "config", type = "path", env = "OPENCODE_CONFIG", help = "a configuration file beside its own" },
  },
}
