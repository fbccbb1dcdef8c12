return {
  title = "Mistral Vibe",
  command = "vibe-acp",
  args = {},
  env = {},
  registry = "mistral-vibe",
  install = "see the Mistral Vibe documentation",
  login = "run `vibe --setup`",
}
