return {
  title = "{program}",
  options = {
    wrap = { type = "words", required = true },
    tty = { type = "words" },
    check = { type = "words" },
    direct = { type = "boolean", default = false },
  },
}
