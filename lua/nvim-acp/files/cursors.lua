--- Plugins that know places in a buffer by their row numbers, and are at work: no line above may come or go meanwhile.
local M = {}

-- Whether each is at work in a buffer. One that changes what this calls counts as idle.
local plugins = {
  ["several cursors"] = function(buf) -- vim-visual-multi
    return vim.b[buf].visual_multi ~= nil
  end,
  ["several cursors of multicursor.nvim"] = function(buf)
    local mc = package.loaded["multicursor-nvim"]
    return mc ~= nil and buf == vim.api.nvim_get_current_buf() and mc.hasCursors()
  end,
  ["a snippet"] = function(buf) -- vim-vsnip
    if buf ~= vim.api.nvim_get_current_buf() or vim.fn.exists("*vsnip#get_session") == 0 then
      return false
    end
    local session = vim.api.nvim_call_function("vsnip#get_session", {})
    return vim.fn.empty(session) == 0 -- 0.10 has { [true] = 6 } for none
  end,
}

--- Returns what is at work in a buffer, nil if nothing is.
---@param buf integer
---@return string?
function M.active(buf)
  for what, active in pairs(plugins) do
    local ok, busy = pcall(active, buf)
    if ok and busy then
      return what:match("^several cursors") or what
    end
  end
end

return M
