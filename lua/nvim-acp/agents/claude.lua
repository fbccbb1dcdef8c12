return {
  title = "Claude Code",
  command = "claude-agent-acp",
  args = {},
  env = {},
  folders = { "~/.claude/", "~/.claude.json", "$CLAUDE_CONFIG_DIR/" },
  variables = { "ANTHROPIC_*", "CLAUDE_*" },
  registry = "claude-acp",
  install = "npm install -g @agentclientprotocol/claude-agent-acp",
  mode = "default", -- newer versions begin in "auto", in which they ask nothing
  mode_settings = {
    files = { "$CLAUDE_CONFIG_DIR/settings.json", "~/.claude/settings.json" },
    key = { "permissions", "defaultMode" },
  },
  login = "run `claude` once and log in",
  quirks = { reads = "disk", reads_skills = true },
  settings = {
    { name = "config", type = "path", env = "CLAUDE_CONFIG_DIR", help = "folder of its configuration and login" },
    { name = "executable", type = "path", env = "CLAUDE_CODE_EXECUTABLE", help = "another `claude` to run" },
    { name = "thinking", type = "number", min = 0, env = "MAX_THINKING_TOKENS", help = "most tokens of a thought" },
  },
}
