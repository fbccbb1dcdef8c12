return {
  title = "Auggie",
  command = "auggie",
  args = { "--acp" },
  env = {},
  folders = { "~/.augment/" },
  variables = { "AUGMENT_*" },
  registry = "auggie",
  install = "npm install -g @augmentcode/auggie",
  login = "run `auggie login`",
}
