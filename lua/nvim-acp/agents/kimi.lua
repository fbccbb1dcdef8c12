return {
  title = "Kimi",
  command = "kimi",
  args = { "acp" },
  env = {},
  registry = "kimi",
  install = "see the Kimi CLI documentation",
  login = "run `kimi` once and log in",
}
