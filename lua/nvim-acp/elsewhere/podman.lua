return {
  title = "podman {container}",
  program = "podman",
  install = "https://podman.io/docs/installation",
  options = {
    container = { type = "string", required = true },
    user = { type = "string" },
    args = { type = "words" },
  },
  wrap = { "podman", "exec", "-i", { "-u", "{user}" }, "{args}", "{container}" },
  tty = { "podman", "exec", "-it", { "-u", "{user}" }, "{args}", "{container}" },
  check = { "podman", "exec", "{container}", "true" },
}
