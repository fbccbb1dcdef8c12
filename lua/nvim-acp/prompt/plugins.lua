--- Other plugins in the prompt.
local M = {}

local api = vim.api

--- Disables plugins that insert text by themselves.
---@param buf integer
function M.keep_out(buf)
  local b = vim.b[buf]
  b.copilot_enabled, b.codeium_enabled = false, false
  b.minipairs_disable, b.lexima_disabled, b.autopairs_enabled = true, true, 0
  for _, key in ipairs(b.autopairs_keymaps or {}) do -- of nvim-autopairs, made on FileType
    pcall(api.nvim_buf_del_keymap, buf, "i", key)
  end
  b["nvim-autopairs"] = 1
end

return M
