return {
  title = "Gemini CLI",
  command = "gemini",
  args = { "--acp" },
  env = {},
  folders = { "~/.gemini/" },
  variables = { "GEMINI_*", "GOOGLE_*" },
  registry = "gemini",
  install = "npm install -g @google/gemini-cli",
  login = "run `gemini` once and log in, or set GEMINI_API_KEY",
  quirks = { reads = "disk", missing_file_is_empty = true, edits_through_editor = true, reads_skills = true },
  settings = {
    { name = "model", type = "text", args = { "--model", "{value}" }, help = "model that it starts with" },
    {
      name = "sandbox",
      type = "checkbox",
      default = false,
      args = { "--sandbox" },
      help = "run its tools in a sandbox",
    },
  },
}
