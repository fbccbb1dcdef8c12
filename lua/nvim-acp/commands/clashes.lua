--- Commands of other plugins that have names of ours.
local M = {}

--- Returns our commands that another plugin has defined anew since.
---@return string[]
function M.taken()
  local now, list = vim.api.nvim_get_commands({}), {}
  for name, desc in pairs(vim.g.nvim_acp_commands or {}) do
    if not now[name] or now[name].definition ~= desc then
      table.insert(list, name)
    end
  end
  table.sort(list)
  return list
end

--- Says once which of our commands are another plugin's.
function M.say()
  local all = vim.list_extend(M.taken(), vim.g.nvim_acp_clashes or {})
  if #all > 0 then
    local text = "another plugin has defined :%s; see :checkhealth nvim-acp"
    require("nvim-acp.ui.message").warn(text:format(table.concat(all, ", :")))
  end
end

return M
