--- The offer to detach running turns when Neovim exits.
local M = {}

local forced = false -- the command line that is being executed quits with a !

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

-- Asks whether to end turns that cannot be detached.
local function refuse(titles, obstacle)
  local text = "nvim-acp: %s at work; the turn ends if you quit. It cannot go on without Neovim: %s. Quit?"
  if vim.fn.confirm(text:format(titles, obstacle), "&No\n&Yes", 1) ~= 2 then
    require("nvim-acp.ui.exit").refuse()
  end
end

-- Asks whether to detach running turns, unless the configuration decides, no UI is attached, or Neovim quits by a
-- command with a bang. Where they cannot be detached it asks whether to end them, whatever is configured.
local function ask()
  local list = busy()
  if #list == 0 or forced or #vim.api.nvim_list_uis() == 0 then
    return
  end
  local titles, rpc = table.concat(list, ", "), require("nvim-acp.rpc")
  if rpc.obstacle() then
    return refuse(titles, rpc.obstacle())
  elseif require("nvim-acp.config").options.session.detach then
    return
  end
  local text = ("nvim-acp: %s at work; let the turn go on without Neovim?"):format(titles)
  if rpc.parting() or vim.fn.confirm(text, "&No\n&Yes", 1) == 2 then
    local obstacle = require("nvim-acp.attach").leave()
    if obstacle then
      refuse(titles, obstacle)
    end
  end
end

--- Asks before Neovim exits.
function M.watch()
  local group = vim.api.nvim_create_augroup("nvim-acp.quit", {})
  vim.api.nvim_create_autocmd("ExitPre", { group = group, callback = ask })
  vim.api.nvim_create_autocmd("CmdlineLeave", {
    group = group,
    pattern = ":",
    callback = function()
      forced = vim.fn.getcmdline():find("[qx]%a*!") ~= nil
      if forced then
        vim.schedule(function()
          forced = false
        end)
      end
    end,
  })
end

return M
