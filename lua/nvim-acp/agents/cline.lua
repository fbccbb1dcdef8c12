return {
  title = "Cline",
  command = "cline",
  args = { "--acp" },
  env = {},
  folders = { "~/.cline/" },
  variables = { "CLINE_*" },
  registry = "cline",
  install = "npm install -g cline",
  login = "run `cline auth`",
}
