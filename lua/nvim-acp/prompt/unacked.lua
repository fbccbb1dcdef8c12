--- Prompts that the host has not heard of: one that hangs when Neovim ends may never read them. They are on the disk
--- then, and in the next prompt of their folder, unless the host has had them after all.
local M = {}

local watching = false

-- Returns the prompts of a session that the host has not acknowledged.
local function left(s)
  return vim.tbl_filter(function(p)
    return p.n > (s.seen or 0)
  end, s.unheard or {})
end

-- Stores what a host has not heard, which has a moment for it.
local function store()
  local sessions = require("nvim-acp.state").sessions
  vim.wait(200, function()
    return not vim.iter(vim.tbl_values(sessions)):any(function(s)
      return #left(s) > 0
    end)
  end, 5)
  for _, s in pairs(sessions) do
    local prompts = vim.tbl_map(function(p)
      return { id = p.id, text = p.text, context = p.context }
    end, left(s))
    if #prompts > 0 then
      require("nvim-acp.prompt.draft").keep_unheard(s, prompts)
    end
  end
end

--- Notes a prompt that was sent.
---@param s acp.Session
---@param prompt acp.Unsent
function M.sent(s, prompt)
  s.unheard = left(s)
  table.insert(s.unheard, { n = s.sent, id = prompt.id, text = prompt.text, context = prompt.context })
  if not watching then
    watching = true
    vim.api.nvim_create_autocmd("VimLeavePre", {
      group = vim.api.nvim_create_augroup("nvim-acp.unheard", {}),
      callback = store,
    })
  end
end

---@type table<string, string[]> by session, the ids of the prompts that a host has said it has had
local heard = {}

--- Notes the prompts that a host has had: they are in it, and a Neovim that could not know stored them for nothing.
---@param s { id: string }
---@param ids string[]
function M.heard(s, ids)
  heard[s.id] = ids
end

--- Returns those of some prompts that no host has had.
---@param s acp.Session
---@param prompts acp.Unsent[]
---@return acp.Unsent[]
function M.of(s, prompts)
  return vim.tbl_filter(function(p)
    return not vim.tbl_contains(heard[s.id] or {}, p.id)
  end, prompts)
end

---@param s acp.Session
function M.forget(s)
  heard[s.id] = nil
end

return M
