return {
  title = "the dev container",
  head = "dev container",
  program = "devcontainer",
  install = "npm install -g @devcontainers/cli",
  options = {
    args = { type = "words" },
  },
  paths = { { "{here}", "/workspaces/{name}" } },
  wrap = { "devcontainer", "exec", "--workspace-folder", "{here}", "{args}" },
  check = { "devcontainer", "exec", "--workspace-folder", "{here}", "{args}", "true" },
}
