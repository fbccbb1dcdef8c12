return {
  title = "Mistral Vibe",
  command = "vibe-acp",
  args = {},
  env = {},
  folders = { "~/.vibe/" },
  variables = { "MISTRAL_*", "VIBE_*" },
  registry = "mistral-vibe",
  install = "see the Mistral Vibe documentation",
  login = "run `vibe --setup`",
}
