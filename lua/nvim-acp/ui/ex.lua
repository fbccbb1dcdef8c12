--- The one door to Ex commands with a word that is not written in the source: words are arguments, never part of a
--- command's text, so that neither `|` nor a line break ends it, and no `%`, wildcard or backtick in one is expanded.
local M = {}

local api = vim.api

---@class acp.Ex
---@field cmd string
---@field args string[]?
---@field bang boolean?
---@field count integer?
---@field mods table?

--- Runs a command.
---@param command acp.Ex
function M.run(command)
  api.nvim_cmd(vim.tbl_extend("error", command, { magic = { file = false, bar = false } }), {})
end

--- Returns the commands of a command line, up to one that Neovim does not know.
---@param line string
---@return table[] as nvim_parse_cmd() does
function M.commands(line)
  local list = {}
  local ok, command = pcall(api.nvim_parse_cmd, line, {})
  while ok do
    table.insert(list, command)
    if command.nextcmd == "" then
      break
    end
    ok, command = pcall(api.nvim_parse_cmd, command.nextcmd, {})
  end
  return list
end

--- Types keys in Normal mode, without mappings.
---@param keys string keys of ours, or of the user
---@param mods table?
function M.normal(keys, mods)
  M.run({ cmd = "normal", args = { keys }, bang = true, mods = mods })
end

--- Has keys act that the user has typed, without mappings, as if no mapping of ours were there: an error is Neovim's
--- own, without a traceback.
---@param keys string
function M.typed(keys)
  api.nvim_feedkeys(keys, "in", false)
end

--- Returns a function that gives the windows of the tab page their sizes again.
---@return fun()
function M.sizes()
  local sizes = vim.fn.winrestcmd() -- Neovim's own words
  return function()
    vim.cmd(sizes)
  end
end

local quiet ---@type fun()?

--- Runs a function whose messages of errors are not shown: Neovim gives some beside the error that it raises.
---@generic T
---@param fn fun(): T
---@return T? nil if it has raised an error
function M.quietly(fn)
  local ok, result
  quiet = function()
    ok, result = pcall(fn)
  end
  M.run({ cmd = "lua", args = { "require('nvim-acp.ui.ex').call()" }, mods = { emsg_silent = true } })
  return ok and result or nil
end

--- Calls what quietly() was given.
function M.call()
  local fn = quiet
  quiet = nil
  if fn then
    fn()
  end
end

--- Runs a function without autocommands.
---@param fn fun()
function M.silently(fn)
  local ignore = vim.o.eventignore
  vim.o.eventignore = "all"
  local ok, err = pcall(fn)
  vim.o.eventignore = ignore
  if not ok then
    error(err, 0)
  end
end

return M
