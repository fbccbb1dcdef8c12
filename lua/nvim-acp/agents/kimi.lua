return {
  title = "Kimi",
  command = "kimi",
  args = { "acp" },
  env = {},
  install = "see the Kimi CLI documentation",
  login = "run `kimi` once and log in",
}
