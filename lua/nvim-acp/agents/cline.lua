return {
  title = "Cline",
  command = "cline",
  args = { "--acp" },
  env = {},
  install = "npm install -g cline",
  login = "run `cline auth`",
}
