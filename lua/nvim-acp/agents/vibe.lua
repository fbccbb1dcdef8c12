return {
  title = "Mistral Vibe",
  command = "vibe-acp",
  args = {},
  env = {},
  install = "see the Mistral Vibe documentation",
  login = "run `vibe --setup`",
}
