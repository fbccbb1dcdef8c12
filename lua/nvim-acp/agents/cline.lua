return {
  title = "Cline",
  command = "cline",
  args = { "--acp" },
  env = {},
  registry = "cline",
  install = "npm install -g cline",
  login = "run `cline auth`",
}
