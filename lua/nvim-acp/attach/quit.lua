--- The offer to detach running turns when Neovim exits.
local M = {}

local forced = false -- the command line that is being executed quits with a !
local agreed = false -- to detach as Neovim exits, which a modified buffer may yet prevent

-- The commands of Neovim that may exit and take a !.
local exits = { "quit", "qall", "quitall", "exit", "xit", "xall", "wq", "wqall" }

-- Returns the titles of the sessions with a running turn, or a prompt that waits for the start of the agent.
local function busy()
  local out = {}
  for _, s in pairs(require("nvim-acp.state").sessions) do
    local begins = (s.state == "starting" or s.state == "loading") and #s.queue > 0
    if not s.placed and (s.state == "busy" or s.state == "waiting" or begins) then
      table.insert(out, s.agent_title)
    end
  end
  table.sort(out)
  return out
end

-- Reports whether a command line exits with a !.
local function has_bang(line)
  return vim.iter(require("nvim-acp.ui.ex").commands(line)):any(function(command)
    return command.bang and vim.tbl_contains(exits, command.cmd)
  end)
end

-- Reports whether ZQ was typed: Neovim shows the keys of a command while it runs.
local function typed_bang()
  return vim.api.nvim_eval_statusline("%S", {}).str:find("ZQ$") ~= nil
end

-- Reports whether there is something for which Neovim may refuse to exit.
local function unsaved()
  return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
    local kind = vim.bo[buf].buftype
    return vim.bo[buf].modified and (kind == "" or kind == "acwrite") or kind == "terminal"
  end)
end

-- Asks whether to end turns that cannot be detached.
local function refuse(titles, obstacle)
  local text = "nvim-acp: %s at work; the turn ends if you quit. It cannot go on without Neovim: %s. Quit?"
  if vim.fn.confirm(text:format(titles, obstacle), "&No\n&End it", 1) ~= 2 then
    require("nvim-acp.ui.exit").refuse()
  end
end

-- Detaches, or once it is certain that Neovim exits. Asks if that is not possible.
local function detach(titles)
  if unsaved() then
    agreed = true
    vim.api.nvim_create_autocmd("SafeState", {
      group = vim.api.nvim_create_augroup("nvim-acp.agreed", {}),
      callback = function()
        agreed = vim.api.nvim_get_mode().mode:sub(1, 1) == "r" -- it asks what to do; else it has not exited
        return not agreed
      end,
    })
    return
  end
  local obstacle = require("nvim-acp.attach").leave()
  if obstacle then
    refuse(titles, obstacle)
  end
end

-- Asks whether to detach running turns, unless the configuration decides, no UI is attached, or Neovim quits by a
-- command with a bang. Where they cannot be detached it asks whether to end them, whatever is configured.
local function ask()
  local list = busy()
  agreed = false
  if #list == 0 or forced or #vim.api.nvim_list_uis() == 0 or typed_bang() then
    return
  end
  local titles, rpc = table.concat(list, ", "), require("nvim-acp.rpc")
  if rpc.obstacle() then
    return refuse(titles, rpc.obstacle())
  elseif require("nvim-acp.config").options.session.detach then
    return
  elseif rpc.parting() then
    return detach(titles)
  end
  local text = ("nvim-acp: %s at work; quit, and let the turn go on without Neovim?"):format(titles)
  local answer = vim.fn.confirm(text, "&No\n&Yes\n&End it", 1)
  if answer == 2 then
    detach(titles)
  elseif answer ~= 3 then
    require("nvim-acp.ui.exit").refuse()
  end
end

--- Asks before Neovim exits.
function M.watch()
  local group = vim.api.nvim_create_augroup("nvim-acp.quit", {})
  vim.api.nvim_create_autocmd("ExitPre", { group = group, callback = ask })
  vim.api.nvim_create_autocmd("VimLeavePre", {
    group = group,
    callback = function()
      require("nvim-acp.attach.restart").leave()
      if agreed then
        require("nvim-acp.attach").leave()
      end
    end,
  })
  vim.api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    callback = function()
      forced = has_bang(vim.fn.getcmdline())
      if forced then
        vim.schedule(function()
          forced = false
        end)
      end
    end,
  })
end

return M
