return {
  title = "Qwen Code",
  command = "qwen",
  args = { "--acp" },
  env = {},
  folders = { "~/.qwen/" },
  variables = { "QWEN_*", "DASHSCOPE_*", "OPENAI_*" },
  registry = "qwen-code",
  install = "npm install -g @qwen-code/qwen-code",
  login = "run `qwen` once and log in, or set OPENAI_API_KEY",
  quirks = { reads = "editor", edits_through_editor = true },
}
