return {
  title = "Cursor",
  command = "cursor-agent",
  args = { "acp" },
  env = {},
  registry = "cursor",
  install = "see the Cursor CLI documentation",
  login = "run `cursor-agent login`",
}
