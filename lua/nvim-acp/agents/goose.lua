return {
  title = "Goose",
  command = "goose",
  args = { "acp" },
  env = {},
  folders = { "~/.config/goose/", "~/.local/share/goose/", "~/.local/state/goose/" },
  variables = { "GOOSE_*" },
  registry = "goose",
  install = "see the Goose documentation",
  login = "run `goose configure`",
  quirks = { reads_skills = true },
  settings = {
    { name = "provider", type = "text", env = "GOOSE_PROVIDER", help = "who serves the model" },
    { name = "model", type = "text", env = "GOOSE_MODEL", help = "model that it starts with" },
    {
      name = "mode",
      type = "select",
      choices = { "auto", "approve", "smart_approve", "chat" },
      env = "GOOSE_MODE",
      help = "what it asks for",
    },
  },
}
