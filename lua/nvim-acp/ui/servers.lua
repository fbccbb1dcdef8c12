--- Neovim's client of language servers. It makes a folder for its log as it is loaded, and fails where that cannot be
--- made.
local M = {}

-- Forgets a module that has failed to load: LuaJIT would not try again.
local function again(name)
  if type(package.loaded[name]) ~= "table" then
    package.loaded[name] = nil
  end
end

--- Makes sure that vim.lsp can be used: where stdpath("log") cannot be written, its log goes to a temporary folder.
function M.load()
  if type(package.loaded["vim.lsp.log"]) == "table" or pcall(vim.fn.mkdir, vim.fn.stdpath("log"), "p") then
    return
  end
  again("vim.lsp")
  again("vim.lsp.log")
  local state = vim.env.XDG_STATE_HOME
  vim.env.XDG_STATE_HOME = vim.fs.dirname(vim.fn.tempname()) -- it goes with Neovim
  pcall(require, "vim.lsp.log")
  vim.env.XDG_STATE_HOME = state
end

return M
