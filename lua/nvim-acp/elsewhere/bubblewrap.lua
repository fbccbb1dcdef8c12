return {
  title = "the sandbox",
  head = "sandbox",
  program = "bwrap",
  install = "your package manager has it as bubblewrap",
  sandbox = true,
  direct = true,
  options = {
    network = { type = "boolean", default = true },
    read = { type = "words" },
    write = { type = "words" },
  },
  check = { "bwrap", "--ro-bind", "/", "/", "--unshare-pid", "--dev", "/dev", "--proc", "/proc", "true" },
}
