--- The location of the host program.
local M = {}

---@return string root folder of the plugin
function M.root()
  return vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")
end

--- Returns the host program: vim.g.nvim_acp_bin, else bin/nvim-acp of the plugin, else nvim-acp on PATH.
---@return string? path
function M.path()
  local candidates = { vim.g.nvim_acp_bin or "", M.root() .. "/bin/nvim-acp", "nvim-acp" }
  for _, path in ipairs(candidates) do
    if path ~= "" and vim.fn.executable(path) == 1 then
      return vim.fn.exepath(path)
    end
  end
end

return M
