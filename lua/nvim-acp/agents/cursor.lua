return {
  title = "Cursor",
  command = "cursor-agent",
  args = { "acp" },
  env = {},
  folders = { "~/.cursor/", "~/.config/cursor/" },
  variables = { "CURSOR_*" },
  registry = "cursor",
  install = "see the Cursor CLI documentation",
  login = "run `cursor-agent login`",
}
