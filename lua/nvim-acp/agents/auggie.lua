return {
  title = "Auggie",
  command = "auggie",
  args = { "--acp" },
  env = {},
  registry = "auggie",
  install = "npm install -g @augmentcode/auggie",
  login = "run `auggie login`",
}
