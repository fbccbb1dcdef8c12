--- Applies the options of the user.
local M = {}

--- Stores the options. Keys that are unknown or of the wrong type are left out and named in one message.
---@param opts acp.Config?
function M.apply(opts)
  local config = require("nvim-acp.config")
  local options, problems = vim.deepcopy(config.defaults), {}

  if opts ~= nil and type(opts) ~= "table" then
    table.insert(problems, "setup: the options must be a table, not " .. type(opts))
  else
    vim.list_extend(problems, require("nvim-acp.config.schema").options(opts or {}, options))
  end
  local rules, wrong = require("nvim-acp.config.rules").checked(options.rules)
  options.rules = rules
  vim.list_extend(problems, wrong)
  config.options, config.problems = options, problems

  local servers = require("nvim-acp.config.servers")
  vim.list_extend(problems, servers.problems(options.mcp_servers))
  for name, own in pairs(options.agents) do
    vim.list_extend(problems, servers.problems(own.mcp_servers))
    if own.settings then
      vim.list_extend(problems, require("nvim-acp.config.agents").setting_problems(name))
    end
  end

  require("nvim-acp.ui.style").set = options.icons
  require("nvim-acp.ui.logfile").level = options.log.level
  if #problems > 0 then
    table.sort(problems)
    require("nvim-acp.ui.message").warn("setup: " .. table.concat(problems, "; "))
  end
end

return M
