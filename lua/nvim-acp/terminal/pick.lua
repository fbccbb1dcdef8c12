--- :AcpTerminals: the list of commands.
local M = {}

--- Lets the user choose a terminal to open, the most recent first.
function M.run()
  local list = vim.iter(require("nvim-acp.terminal").list()):rev():totable()
  if #list == 0 then
    return require("nvim-acp.ui.message").info("no command has run yet")
  end
  require("nvim-acp.ui.choose").from(list, {
    prompt = "Terminals",
    kind = "acp-terminal",
    format_item = function(t)
      local mark = t.waiting and "?" or (t.running and "●" or " ")
      return ("%s %-60s  %s"):format(
        mark,
        require("nvim-acp.ui.text").line(t.command, 60),
        require("nvim-acp.terminal.window").state_of(t)
      )
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
