--- Connects the events of `state` to the features. Loaded with the first command or call.

require("nvim-acp.bytecode").enable()

local state = require("nvim-acp.state")

require("nvim-acp.ui.keys").guard = function(buf)
  require("nvim-acp.files.named").guard(buf, function()
    require("nvim-acp.chat.open_target").browse()
  end)
end
require("nvim-acp.files.window").watch()
require("nvim-acp.files.renamed").watch()
require("nvim-acp.chat.stray_buffers").watch()
require("nvim-acp.review.notes") -- shows the notes of before
require("nvim-acp.review.hunk") -- what the keys in files do
require("nvim-acp.chat.attention") -- tracks from here on whether Neovim has the focus
require("nvim-acp.ui.try").call(require("nvim-acp.knowledge.diagnostics_log").follow) -- before any question

vim.schedule(require("nvim-acp.commands.clashes").say)

-- Reports whether a session has lines of a buffer, also as it becomes a chat.
local function at_lines(s)
  local place = package.loaded["nvim-acp.edit.place"]
  return place ~= nil and place.all[s.id] ~= nil
end

state.on("changed", function(s)
  if at_lines(s) then
    require("nvim-acp.ui.try").call(require("nvim-acp.edit").changed, s)
  end
  if state.hidden(s) then
    return
  end
  require("nvim-acp.prompt.unacked").changed(s)
  require("nvim-acp.chat").refresh(s)
  require("nvim-acp.ui.try").call(require("nvim-acp.sessions.offer").found, s)
  require("nvim-acp.ui.try").call(require("nvim-acp.sessions.key").again, s)
end)

-- Has the texts of requests that are being edited looked at, if there are any.
local function look_at_texts()
  local proposal = package.loaded["nvim-acp.permission.proposal"]
  if proposal then
    proposal.look()
  end
end

state.on("permissions", function(s)
  look_at_texts()
  require("nvim-acp.permission").update(s)
end)

state.on("typed", function(s)
  require("nvim-acp.chat.winbar").draw(s)
end)

state.on("edited", function(s)
  local chat = require("nvim-acp.chat")
  if not chat.visible(s) then
    chat.open(s, true)
  end
end)

require("nvim-acp.attach.quit").watch()

state.on("buffer", function(s, kind, buf)
  if kind == "transcript" then
    require("nvim-acp.ui.try").call(require("nvim-acp.attach").offer, s)
  end
  require("nvim-acp.commands.keys")[kind](s, buf)
  require("nvim-acp.chat.resize").watch()
  require("nvim-acp.chat.window_pair").watch()
end)

state.on("forgotten", function(s)
  look_at_texts()
  require("nvim-acp.terminal").forgotten(s)
  if at_lines(s) then
    require("nvim-acp.edit").forgotten(s)
  end
end)

state.on("host_gone", function(how)
  require("nvim-acp.files.watch").release()
  require("nvim-acp.permission.proposal").lost()
  require("nvim-acp.review").lost()
  require("nvim-acp.edit").lost()
  require("nvim-acp.terminal").lost(how)
end)

state.on("lost", function(s, prompts)
  if state.hidden(s) then
    return
  end
  require("nvim-acp.prompt").give_back(s, prompts)
  require("nvim-acp.sessions.offer").lost(s)
end)
