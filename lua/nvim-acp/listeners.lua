--- Connects the events of `state` to the features. Loaded with the first command or call.

local state = require("nvim-acp.state")

require("nvim-acp.files.window").watch()
require("nvim-acp.review.notes") -- shows the notes of before
require("nvim-acp.chat.attention") -- tracks from here on whether Neovim has the focus

state.on("changed", function(s)
  require("nvim-acp.chat").refresh(s)
  require("nvim-acp.ui.try").call(require("nvim-acp.sessions.offer").found, s)
end)

state.on("permissions", function(s)
  require("nvim-acp.permission").update(s)
end)

state.on("typed", function(s)
  require("nvim-acp.chat.winbar").draw(s)
end)

state.on("buffer", function(s, kind, buf)
  require("nvim-acp.commands.keys")[kind](s, buf)
  require("nvim-acp.chat.resize").watch()
  require("nvim-acp.chat.pair").watch()
end)

state.on("host_gone", function()
  require("nvim-acp.files.watch").release()
  require("nvim-acp.permission.proposal").lost()
  require("nvim-acp.review").lost()
end)

state.on("lost", function(s, prompts)
  require("nvim-acp.prompt").give_back(s, prompts)
  require("nvim-acp.sessions.offer").lost(s)
end)
