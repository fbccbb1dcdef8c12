return {
  title = "Kimi",
  command = "kimi",
  args = { "acp" },
  env = {},
  folders = { "~/.kimi/" },
  variables = { "KIMI_*", "MOONSHOT_*" },
  registry = "kimi",
  install = "see the Kimi CLI documentation",
  login = "run `kimi` once and log in",
}
