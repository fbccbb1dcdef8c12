---@type table<string, table[]> by mode: there may be hundreds, and they are asked for again and again
local known = {}

--- Returns the user's mappings for all buffers, as they were a second ago at most.
---@param mode string
---@return table<string, any>[]
return function(mode)
  if not known[mode] then
    known[mode] = vim.api.nvim_get_keymap(mode)
    vim.defer_fn(function()
      known[mode] = nil
    end, 1000)
  end
  return known[mode]
end
