--- :AcpTerminals: the list of commands.
local M = {}

-- Returns what a list has before a command: how it is with it.
local function mark_of(t)
  local icons = require("nvim-acp.ui.style").icons()
  if t.running then
    return t.waiting and icons.ask or icons.now
  end
  return t.exit == "" and icons.done or icons.failed
end

-- Returns a line for each command, with the states below each other, also where the screen is narrow.
local function lines_of(list)
  local text, strwidth = require("nvim-acp.ui.text"), vim.api.nvim_strwidth
  local states, last, wide = {}, 0, 0
  for i, t in ipairs(list) do
    states[i] = require("nvim-acp.terminal.window").state_of(t)
    last = math.max(last, strwidth(states[i]))
  end
  local room = math.max(math.min(60, vim.o.columns - last - 11), 10) -- without the float's edges, blanks and the mark
  for _, t in ipairs(list) do
    wide = math.max(wide, strwidth(text.line(t.command, room)))
  end
  local lines = {}
  for i, t in ipairs(list) do
    lines[t] = ("%s %s  %s"):format(mark_of(t), text.column(t.command, wide), states[i])
  end
  return lines
end

--- Lets the user choose a terminal to open, the most recent first.
function M.run()
  local list = vim.iter(require("nvim-acp.terminal").list()):rev():totable()
  if #list == 0 then
    return require("nvim-acp.ui.message").info("no command has run yet")
  end
  local lines = lines_of(list)
  require("nvim-acp.ui.choose").from(list, {
    prompt = "Terminals",
    kind = "acp-terminal",
    format_item = function(t)
      return lines[t]
    end,
  }, function(choice)
    if choice then
      vim.cmd.stopinsert() -- the picker may be a terminal itself
      vim.schedule(function()
        require("nvim-acp.terminal").open(choice.id)
      end)
    end
  end)
end

return M
