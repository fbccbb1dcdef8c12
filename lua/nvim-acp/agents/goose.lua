return {
  title = "Goose",
  command = "goose",
  args = { "acp" },
  env = {},
  install = "see the Goose documentation",
  login = "run `goose configure`",
  quirks = { reads_skills = true },
}
