return {
  title = "docker {container}",
  program = "docker",
  install = "https://docs.docker.com/engine/install",
  options = {
    container = { type = "string", required = true },
    user = { type = "string" },
    args = { type = "words" },
  },
  wrap = { "docker", "exec", "-i", { "-u", "{user}" }, "{args}", "{container}" },
  tty = { "docker", "exec", "-it", { "-u", "{user}" }, "{args}", "{container}" },
  check = { "docker", "exec", "{container}", "true" },
}
