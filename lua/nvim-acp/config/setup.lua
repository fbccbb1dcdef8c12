--- Says what is wrong with the options of the user.
local M = {}

--- Names the problems of the options in one message.
function M.check()
  local config = require("nvim-acp.config")
  local servers, problems = require("nvim-acp.config.servers"), config.problems
  vim.list_extend(problems, servers.problems(config.options.mcp_servers))
  for name, own in pairs(config.options.agents) do
    vim.list_extend(problems, servers.problems(own.mcp_servers))
    local wrong = own.run_in ~= nil and require("nvim-acp.config.elsewhere").wrong(own.run_in)
    if wrong then
      table.insert(problems, ("agents.%s.run_in: must be %s"):format(name, wrong))
    end
    if own.settings then
      vim.list_extend(problems, require("nvim-acp.config.agents").setting_problems(name))
    end
  end
  if #problems > 0 then
    table.sort(problems)
    require("nvim-acp.ui.message").warn("setup: " .. table.concat(problems, "; "))
  end
end

return M
