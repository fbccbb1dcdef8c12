return {
  title = "Auggie",
  command = "auggie",
  args = { "--acp" },
  env = {},
  install = "npm install -g @augmentcode/auggie",
  login = "run `auggie login`",
}
