--- :restart of Neovim: the new one says that sessions of the one before go on. An ordinary start says nothing, loads
--- nothing, and a new chat offers them.
local M = {}

local fresh = 10 -- seconds

-- Returns the path of the word that a Neovim leaves for the one that takes its place, which inherits nothing else.
-- plugin/nvim-acp.lua looks for it: keep it the same there.
local function path()
  return vim.fn.stdpath("state") .. "/nvim-acp/restarted"
end

--- Leaves word, as Neovim exits to be started again, of its process and of its sessions.
function M.leave()
  if vim.fn.exists("v:exitreason") == 1 and vim.v.exitreason == "restart" then
    local ids = vim.tbl_keys(require("nvim-acp.state").sessions)
    if #ids > 0 or require("nvim-acp.attach.hosts").any() then
      require("nvim-acp.ui.disk").folder(vim.fs.dirname(path()), "700")
      pcall(vim.fn.writefile, { vim.json.encode({ pid = vim.fn.getpid(), ids = ids, at = os.time() }) }, path())
    end
  end
end

local tries, pause = 25, 200 -- milliseconds: what the Neovim before takes to end, and a host that hung to notice

-- Says that the sessions of a host go on.
local function say(host)
  local titles = vim.tbl_map(function(s)
    return s.title ~= "" and ("%s, %s"):format(s.name, s.title) or s.name
  end, host.sessions)
  local text = ("without Neovim: %s; :AcpAttach goes on with it"):format(table.concat(titles, "; "))
  local shorter = { "session goes on: :AcpAttach", "goes on: :AcpAttach" }
  require("nvim-acp.ui.message").info(text, shorter)
end

-- Looks for a host that has sessions of the Neovim before, by process and ids, or of this folder; again while that
-- Neovim has not ended.
local function look(before, ids, left)
  local hosts = require("nvim-acp.attach.hosts")
  hosts.list(function(found)
    local held = false
    found = vim.tbl_filter(function(host)
      held = held or host.neovim == before
      return host.neovim == 0 and not host.ended and not host.problem
    end, found)
    local host = vim.iter(found):find(function(host)
      return vim.iter(host.sessions):any(function(s)
        return vim.tbl_contains(ids, s.id)
      end)
    end) or hosts.here(found, vim.fn.getcwd())
    if host then
      say(host)
    elseif left > 1 and (held or vim.uv.kill(before, 0) == 0) then
      vim.defer_fn(function()
        look(before, ids, left - 1)
      end, pause)
    end
  end)
end

--- Says in a Neovim that was started by :restart which sessions go on.
function M.greet()
  local word = require("nvim-acp.ui.own").is(path(), "file") and require("nvim-acp.ui.disk").json(path())
  vim.uv.fs_unlink(path())
  if type(word) == "table" and os.time() - word.at <= fresh then
    look(word.pid, word.ids, tries)
  end
end

return M
