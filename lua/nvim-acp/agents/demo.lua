-- The built-in agent: no model, no account, no network. Its command is the host program itself.
return { title = "Demo agent", args = { "agent" }, quirks = { reads = "editor", edits_through_editor = true } }
